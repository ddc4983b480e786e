import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaContainers
import MediaLibrary
import TestSupport
import Testing

@testable import MediaCacheServer

/// Tests of the files below the playlists of `/play`, `/library` and `/live`.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct FragmentRouteTests {
    private let origin = ScriptedOrigin()
    private let base = "http://origin.example/s/"

    /// Serves the files of a folder of the corpora.
    private func serve(_ folder: String) throws {
        let folder = Prerequisite.corpora.appending(path: "shaka-player/\(folder)")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
            let type = file.hasSuffix("m3u8") ? "application/vnd.apple.mpegurl" : "video/mp2t"
            origin[try ResourceURL(base + file)] = ScriptedResource(.bytes(bytes), contentType: type)
        }
    }

    private func samples(_ file: [UInt8]) throws -> (tracks: [MediaTrack], samples: [MediaSample]) {
        var list = SampleList()
        try MP4Reader(MemorySource(file)).deliver(to: &list)
        return (list.tracks, list.samples)
    }

    private struct SampleList: SampleSink {
        var tracks: [MediaTrack] = []
        var samples: [MediaSample] = []

        mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

        mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) { samples.append(sample) }
    }

    /// Returns the URL that a reference of a document at `path` leads to.
    private func resolved(_ reference: String, _ path: String, query: String = "", segment: Int = 0) -> String {
        let reference = reference.replacing("{query}", with: query).replacing("{segment}", with: "\(segment)")
        guard !reference.hasPrefix("/") else { return reference }
        return path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/") + "/" + reference
    }

    private func json<Value: Decodable>(_ host: CacheHost, _ path: String, as type: Value.Type) async throws -> Value {
        let answer = try await host.exchange("GET", path)
        #expect(answer.status == 200, "\(path): \(answer.text)")
        #expect(answer.fields["content-type"] == "application/json")
        return try answer.decoded(type)
    }

    @Test func playsStreamOfOrigin() async throws {
        try serve("hls-ts-muxed-aac-h264")
        try await CacheHost.use(origin: origin) { host in
            let token = host.server.playbackToken
            let path = "/play/\(token);fragments=media.json/http/origin.example/s/playlist.m3u8"
            let stream = try await json(host, path, as: StreamRecord.self)
            #expect(stream.axis == .start && stream.duration == 36 && !stream.isLive && stream.variants.count == 1)
            #expect(
                stream.tracks.map(\.type) == [
                    "video/mp4; codecs=\"avc1.42C00D\"", "audio/mp4; codecs=\"mp4a.40.2\"",
                ])
            let again = try await json(host, stream.variants[0].media, as: StreamRecord.self)
            #expect(again.tracks == stream.tracks)
            let rows = try await json(
                host, resolved(stream.tracks[0].segments, path, query: "from=7&to=19"), as: SegmentList.self)
            #expect(rows.segments.map(\.number) == [1, 2, 3] && rows.range == SegmentRange(start: 0, end: 36))
            let rest = try await json(
                host, resolved(stream.tracks[0].segments, path, query: "after=3"), as: SegmentList.self)
            #expect(rest.segments.map(\.number) == [4, 5] && !rest.isTruncated)
            var starts: [Double] = []
            for number in 0..<6 {
                for track in stream.tracks {
                    let target = resolved(try #require(track.fragments), path, segment: number)
                    let answer = try await host.exchange("GET", target)
                    #expect(answer.status == 200 && answer.fields["content-type"] == track.type)
                    #expect(answer.fields["access-control-allow-origin"] == "*")
                    let (tracks, samples) = try self.samples(answer.body)
                    #expect(tracks.map(\.kind.rawValue) == [track.kind.rawValue])
                    #expect(samples.count > 100)
                    guard track.kind == .video else { continue }
                    starts.append(Double(samples[0].dts) / Double(tracks[0].timescale))
                    let range = try await host.exchange("GET", target, ["Range: bytes=4-7"])
                    #expect(range.status == 206 && range.text == "ftyp")
                    let tag = try #require(answer.fields["etag"])
                    #expect(try await host.exchange("GET", target, ["If-None-Match: \(tag)"]).status == 304)
                }
            }
            // The segments have one clock.
            for (one, next) in zip(starts, starts.dropFirst()) { #expect((4..<8).contains(next - one)) }
        }
    }

    @Test func requiresTokenAndKnownFile() async throws {
        try serve("hls-ts-muxed-aac-h264")
        try await CacheHost.use(origin: origin) { (host) async throws in
            let token = host.server.playbackToken
            func status(_ token: String, _ file: String, _ name: String = "chunk.m3u8") async throws -> Int {
                try await host.exchange("GET", "/play/\(token);fragments=\(file)/http/origin.example/s/\(name)").status
            }
            #expect(try await status(token, "segments.json") == 200)
            for file in ["media.json", "segments.json", "cues.json", "0.video.m4s"] {
                #expect(try await status("wrong", file) == 403)
            }
            for file in ["other.json", "0.text.m4s", "-1.video.m4s", "0.video.m4s.x", "6.video.m4s", "0.audio-2.m4s"] {
                #expect(try await status(token, file) == 404, "\(file)")
            }
            #expect(try await status(token, "segments.json&from=x") == 400)
            #expect(try await status(token, "media.json&variant=9", "playlist.m3u8") == 422)
            #expect(try await status(token, "media.json", "missing.m3u8") == 404)
            #expect(try await status(token, "media.json", "n_0_0_0.ts") == 422)
            #expect(try await status(token, "cues.json") == 422)
        }
    }

    @Test func playsDownloadedAsset() async throws {
        try serve("hls-gap")
        try await CacheHost.use(origin: origin) { host in
            let record = try await host.download(#"{"url":"\#(base)playlist.m3u8"}"#)
            origin.isReachable = false
            let path = "/library/\(record.id)/media.json"
            let stream = try await json(host, path, as: StreamRecord.self)
            #expect(stream.axis == .start && stream.tracks.map(\.kind).first == .video)
            let track = stream.tracks[0]
            #expect(!track.segments.hasPrefix("/"))
            let rows = try await json(host, resolved(track.segments, path), as: SegmentList.self)
            #expect(rows.segments.map(\.isGap) == [true, false, false, false, true, false, false, false])
            for row in rows.segments {
                let target = resolved(try #require(track.fragments), path, segment: row.number)
                #expect(try await host.exchange("GET", target).status == (row.isGap ? 404 : 200))
            }
            let keyed = try await host.exchange("GET", "/k/\(host.server.playbackToken)\(path)")
            #expect(keyed.status == 200 && keyed.fields["access-control-allow-origin"] == "*")
            #expect(try await host.exchange("GET", "/k/wrong\(path)").status == 403)
        }
    }

    @Test func requiresTokenOnExposedServer() async throws {
        try serve("hls-gap")
        try await CacheHost.use(
            origin: origin, { $0.allowedHosts = ["media.example"] }
        ) { host in
            let record = try await host.download(#"{"url":"\#(base)playlist.m3u8"}"#)
            let path = "/library/\(record.id)/index.m3u8/segments.json"
            #expect([401, 403].contains(try await host.exchange("GET", path).status))
            #expect(try await host.exchange("GET", "/k/\(host.server.playbackToken)\(path)").status == 200)
            let issued: TokenRecord = try await host.answer(
                "POST", "/api/v1/tokens", body: #"{"scope":"asset","asset":"\#(record.id)"}"#)
            let token = try #require(issued.token)
            #expect(try await host.exchange("GET", "/k/\(token)\(path)").status == 200)
            #expect(try await host.exchange("GET", "/k/\(token)/library/aaaaaaaaaaaa/media.json").status == 403)
        }
    }

    /// A recording's axis is the wall clock. A request reads only the needed part of a window.
    @Test func playsRecording() async throws {
        try serve("hls-ts-muxed-aac-h264")
        let start: Int64 = 1_790_000_000
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:40\n"
        text += "#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:20.000Z\n"
        for number in 0..<6 {
            if number == 2 { text += "#EXT-X-GAP\n" }
            if number == 4 { text += "#EXT-X-DISCONTINUITY\n" }
            text += "#EXTINF:6,\nn_\(number)_0_0.ts\n"
        }
        origin[try ResourceURL(base + "live.m3u8")] = .playlist(text)
        try await CacheHost.use(origin: origin) { host in
            let made = try await host.call(
                "POST", "/api/v1/channels", body: #"{"name":"one","url":"\#(base)live.m3u8"}"#)
            #expect(made.status == 201)
            var segments = 0
            while segments < 5 {
                await Task.yield()
                segments = try await host.answer("GET", "/api/v1/channels/one", as: ChannelRecord.self).segments
            }
            #expect(
                try await host.call("PATCH", "/api/v1/channels/one", body: #"{"state":"stopped"}"#).status == 200)
            let path = "/live/one/media.json?start=\(start + 1)&end=\(start + 36)"
            let stream = try await json(host, path, as: StreamRecord.self)
            #expect(stream.axis == .wallClock && stream.tracks.map(\.kind) == [.video, .audio])
            let track = stream.tracks[0]
            let all = try await json(host, resolved(track.segments, path), as: SegmentList.self)
            #expect(all.segments.map(\.number) == Array(40..<46))
            #expect(all.segments.map(\.start) == (0..<6).map { Double(start + $0 * 6) })
            #expect(all.segments.map(\.isGap) == [false, false, true, false, false, false])
            #expect(all.segments.map { $0.discontinuity - all.segments[0].discontinuity } == [0, 0, 0, 0, 1, 1])
            #expect(all.segments.compactMap(\.date) == (0..<6).map { (start + $0 * 6) * 1000 })
            let part = try await json(
                host, resolved(track.segments, path, query: "from=\(start + 7)&to=\(start + 19)"),
                as: SegmentList.self)
            #expect(part.segments.map(\.number) == [41, 42, 43])
            #expect(part.range == SegmentRange(start: Double(start + 6), end: Double(start + 24)))
            for after in [3, 42, 45, 99] {
                let rest = try await json(
                    host, resolved(track.segments, path, query: "after=\(after)"), as: SegmentList.self)
                #expect(rest.segments == all.segments.filter { $0.number > after })
            }
            for number in 39..<47 {
                let target = resolved(try #require(track.fragments), path, segment: number)
                let answer = try await host.exchange("GET", target)
                #expect(answer.status == ([39, 42, 46].contains(number) ? 404 : 200), "\(number): \(answer.status)")
            }
            #expect(try await host.exchange("GET", "/live/one/media.json?start=\(start + 100)").status == 404)
            #expect(try await host.exchange("GET", "/live/other/media.json").status == 404)
        }
    }

    @Test func servesSubtitles() async throws {
        try serve("hls-text-no-discontinuity")
        try await CacheHost.use(origin: origin) { host in
            let path = "/play/\(host.server.playbackToken);fragments=media.json/http/origin.example/s/index.m3u8"
            let stream = try await json(host, path, as: StreamRecord.self)
            let text = try #require(stream.tracks.first { $0.kind == .text })
            #expect(text.language == "de" && text.name == "de" && text.fragments == nil && text.type == nil)
            let cues = try await json(
                host, resolved(try #require(text.cues), path), as: CueList.self)
            #expect(cues.segments.count == 1 && cues.segments[0].cues.isEmpty == false)
        }
    }
}
