import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct LiveDownloadReadingTests {
    private let origin = ScriptedOrigin()
    private let base = "http://origin.example/live/"

    private func serve(_ count: Int) throws {
        let segments = (0..<count).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        origin[try ResourceURL(base + "index.m3u8")] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(segments)")
        for number in 0..<count {
            origin[try ResourceURL("\(base)\(number).ts")] = ScriptedResource(
                .bytes(segment(number)), entityTag: "\"1\"", contentType: "video/mp2t")
        }
    }

    private func segment(_ number: Int) -> [UInt8] {
        (0..<10).flatMap { packet in [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: number * 31 + packet + $0) } }
    }

    private func wait(_ host: CacheHost, _ id: String, until condition: (DownloadRecord) -> Bool) async throws {
        for _ in 0..<200 {
            // The response waits for the download to change.
            let path = "/api/v1/downloads/\(id)?wait=200"
            if condition(try await host.answer("GET", path, as: DownloadRecord.self)) { return }
        }
        Issue.record("the download didn't reach the expected state")
    }

    /// Follows the playlists of an asset to the end. Returns the last playlist and its segments.
    private func play(_ host: CacheHost, _ id: String) async throws -> (playlist: String, segments: [[UInt8]]) {
        let entry = try await host.exchange("GET", "/library/\(id)/index.m3u8")
        try #require(entry.status == 200)
        let lines = entry.text.split(separator: "\n")
        let track = try #require(lines.first { !$0.hasPrefix("#") })
        let folder = track.prefix { $0 != "/" }
        let playlist = try await host.exchange("GET", "/library/\(id)/\(track)")
        try #require(playlist.status == 200)
        let text = playlist.text
        var segments: [[UInt8]] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            segments.append(try await host.exchange("GET", "/library/\(id)/\(folder)/\(line)").body)
        }
        return (text, segments)
    }

    /// Runs `body` with a host that downloads a live stream and has three of its segments.
    private func withLiveDownload(_ body: (CacheHost, DownloadRecord) async throws -> Void) async throws {
        try await CacheHost.use(origin: origin) { host in
            try serve(3)
            let added = try await host.answer(
                "POST", "/api/v1/downloads", body: #"{"url":"\#(base)index.m3u8"}"#, as: DownloadRecord.self)
            try await wait(host, "\(added.id)") { $0.partsDone == 3 }
            try await body(host, added)
        }
    }

    @Test func playsLiveStreamDuringAndAfterDownload() async throws {
        try await withLiveDownload { host, added in
            let live = try await play(host, "\(added.id)")
            #expect(live.segments == (0..<3).map(segment) && !live.playlist.contains("#EXT-X-ENDLIST"))

            let finish = try await host.call("PATCH", "/api/v1/downloads/\(added.id)", body: #"{"state":"finished"}"#)
            #expect(finish.status == 200)
            try await wait(host, "\(added.id)") { $0.state == .complete }
            let whole = try await play(host, "\(added.id)")
            #expect(whole.segments == (0..<3).map(segment) && whole.playlist.contains("#EXT-X-ENDLIST"))
        }
    }

    @Test func refusesOtherSelectionOfRecordedStream() async throws {
        try await withLiveDownload { host, added in
            let other = try await host.call(
                "POST", "/api/v1/downloads", body: #"{"url":"\#(base)index.m3u8","variant":"worst"}"#)
            #expect(other.status == 409 && other.text.contains("another selection"))
        }
    }
}
