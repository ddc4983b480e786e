import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaContainers
import TestSupport
import Testing

@testable import MediaCacheServer
@testable import MediaLibrary

struct LibraryPartsTests {
    private let origin = ScriptedOrigin()
    private static let root = "http://origin.example/s/"

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL(Self.root + name) }

    /// Serves an asset with these parts, each under its name at the origin. It has one media playlist unless others are
    /// provided.
    private func withAsset(
        _ parts: KeyValuePairs<String, [UInt8]>, _ playlists: KeyValuePairs<String, String> = [:],
        state: DownloadState? = nil, isCached: Bool = true, lost: Set<String> = [],
        encrypted: Set<String> = [], local: Set<String> = [], _ body: (CacheHost, AssetID) async throws -> Void
    ) async throws {
        let folder = TestFolder()
        defer { withExtendedLifetime(folder) {} }
        for (name, bytes) in parts {
            origin[try url(name)] = ScriptedResource(
                .bytes(bytes), contentType: "video/mp2t", peer: local.contains(name) ? .local : .global)
        }
        // The first server adds the asset, because a server loads its assets when it starts.
        var id: AssetID?
        try await CacheHost.use(folder: folder.path, origin: origin) { host in
            let assetStore = AssetStore(of: host.store)
            let entry = try url("index.m3u8")
            let asset = try await assetStore.add(
                Asset(key: host.store.key(for: entry), url: entry.description, created: Date()))
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n"
            let segments = parts.map { "#EXTINF:9,\nmedia-1/\($0.key)\n" }.joined()
            var files = playlists.map { (name: $0.key, text: $0.value) }
            if files.isEmpty { files = [("index.m3u8", text + segments + "#EXT-X-ENDLIST\n")] }
            let contents = AssetContents(
                playlists: try files.map { .init(name: $0.name, url: "\(try url($0.name))", text: $0.text) },
                parts: try parts.map { name, _ in
                    var part = AssetPart(
                        role: .mediaSegment, name: "media-1/\(name)", url: "\(try url(name))", duration: 9,
                        isEncrypted: encrypted.contains(name))
                    if local.contains(name) { part.scope = .publicOnly }
                    return part
                })
            try await assetStore.setContents(contents, of: asset.id)
            if let state {
                var asset = asset
                asset.download = Download(headers: ["X-Token": "abc"], added: Date(timeIntervalSince1970: 0))
                asset.download?.state = state
                asset.download?.holeCount = lost.count + local.count
                asset.download?.holes = try local.map { name in
                    DownloadHole(
                        url: "\(try url(name))", role: AssetPart.Role.mediaSegment.rawValue, start: 0, duration: 9,
                        reason: "the address is local", isRetryable: false)
                }
                try await assetStore.updateRecord(from: asset)
            }
            if isCached {
                for (name, _) in parts where !lost.contains(name) {
                    _ = try await host.store.complete(ReadRequest(url: try url(name)))
                }
            }
            id = asset.id
        }
        let made = try #require(id)
        try await CacheHost.use(folder: folder.path, origin: origin) { try await body($0, made) }
    }

    @Test func servesPlaylistsAndPartsWithoutOrigin() async throws {
        let segment = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await withAsset(["1.ts": segment], state: .complete) { host, id in
            origin.isReachable = false
            let entry = try await host.exchange("GET", "/library/\(id)/index.m3u8")
            #expect(entry.status == 200 && entry.fields["content-type"] == "application/vnd.apple.mpegurl")
            #expect(entry.fields["content-length"] == "\(entry.body.count)")
            let text = entry.text
            #expect(text.contains("media-1/1.ts") && !text.contains("origin.example"))
            let tag = try #require(entry.fields["etag"])
            let again = try await host.exchange("GET", "/library/\(id)/index.m3u8", ["If-None-Match: \(tag)"])
            #expect(again.status == 304)
            let part = try await host.exchange("GET", "/library/\(id)/index.m3u8", ["Range: bytes=0-6"])
            #expect(part.status == 206 && part.body == Array("#EXTM3U".utf8))

            let whole = try await host.exchange("GET", "/library/\(id)/media-1/1.ts")
            #expect(whole.status == 200 && whole.body == segment)
            let range = try await host.exchange("GET", "/library/\(id)/media-1/1.ts", ["Range: bytes=-100"])
            #expect(range.status == 206 && range.body == Array(segment.suffix(100)))
            for name in ["media-1/2.ts", "media-1/", "../x", "media-1/../index.m3u8", "video-1/index.m3u8"] {
                let none = try await host.exchange("GET", "/library/\(id)/\(name)")
                #expect(none.status == 404, "\(name)")
                #expect(!none.text.contains("origin.example"), "\(name)")
            }
            #expect(try await host.exchange("GET", "/library/\(id)/").body == entry.body)
            #expect(try await host.exchange("GET", "/library/aaaaaaaaaaaa/index.m3u8").status == 404)
        }
    }

    /// Unless the asset has an unfinished download, nothing is requested from the origin, and a hole is an error.
    @Test(arguments: [DownloadState?.none, .complete, .completeWithHoles])
    func reportsHoleWithoutRequest(state: DownloadState?) async throws {
        try await withAsset(["1.ts": [1, 2, 3]], state: state, isCached: false) { host, id in
            let answer = try await host.exchange("GET", "/library/\(id)/media-1/1.ts")
            #expect(answer.status == 404)
            #expect(origin.requests.isEmpty)
        }
    }

    /// A part that a player needs is fetched before the rest of the download, with a single request and the download's
    /// header fields.
    @Test(arguments: [
        DownloadState.paused, .failed(DownloadFailure(code: "timedOut", message: "", isRetryable: true)),
    ])
    func fetchesRequestedPartFirst(state: DownloadState) async throws {
        let segment = [UInt8](repeating: 0x99, count: 300_000)
        try await withAsset(["1.ts": segment, "2.ts": segment], state: state, isCached: false) { host, id in
            let range = try await host.exchange("GET", "/library/\(id)/media-1/2.ts", ["Range: bytes=5-9"])
            #expect(range.status == 206 && range.body == [UInt8](repeating: 0x99, count: 5))
            #expect(try await host.exchange("GET", "/library/\(id)/media-1/2.ts").body == segment)
            let sentRequests = origin.requests(for: try url("2.ts"))
            #expect(sentRequests.count == 1)
            #expect(sentRequests.first?.headerFields[try #require(HTTPField.Name("X-Token"))] == "abc")
            #expect(origin.requests(for: try url("1.ts")).isEmpty)
        }
    }

    @Test func unwrapsSegments() async throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let media: [UInt8] = (0..<500).flatMap { (number: Int) -> [UInt8] in
            [0x47, 1, 0, 0x10] + [UInt8](repeating: UInt8(number % 251), count: 184)
        }
        let cipher = [UInt8](repeating: 0x5A, count: 1600)
        try await withAsset(
            ["1.ts": png + media, "2.ts": png + cipher, "3.ts": media, "4.ts": png], state: .complete,
            encrypted: ["2.ts"]
        ) { host, id in
            origin.isReachable = false
            let whole = try await host.exchange("GET", "/library/\(id)/media-1/1.ts")
            #expect(whole.status == 200 && whole.body == media)
            #expect(whole.fields["content-type"] == "video/mp2t")
            let range = try await host.exchange("GET", "/library/\(id)/media-1/1.ts", ["Range: bytes=100-299"])
            #expect(range.status == 206 && range.body == Array(media[100..<300]))
            #expect(range.fields["content-range"] == "bytes 100-299/\(media.count)")
            #expect(range.fields["etag"] == whole.fields["etag"])
            let head = try await host.exchange("HEAD", "/library/\(id)/media-1/1.ts")
            #expect(head.fields["content-length"] == "\(media.count)")
            #expect(try await host.exchange("GET", "/library/\(id)/media-1/2.ts").body == cipher)
            #expect(try await host.exchange("GET", "/library/\(id)/media-1/3.ts").body == media)
            #expect(try await host.exchange("GET", "/library/\(id)/media-1/4.ts").body == png)
            // The cached bytes are unchanged.
            #expect(try await host.store.resource(for: try url("1.ts"))?.length == Int64(png.count + media.count))
        }
    }

    @Test func inflatesSegments() async throws {
        // gzip of "hello", and the same without its last three bytes.
        let compressed: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1, 5, 0, 250, 255, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x86, 0xA6, 0x10,
            0x36, 5, 0, 0, 0,
        ]
        try await withAsset(["1.vtt": compressed, "2.vtt": Array(compressed.dropLast(3))], state: .complete) {
            host, id in
            let whole = try await host.exchange("GET", "/library/\(id)/media-1/1.vtt")
            #expect(whole.status == 200 && whole.body == Array("hello".utf8))
            let range = try await host.exchange("GET", "/library/\(id)/media-1/1.vtt", ["Range: bytes=1-2"])
            #expect(range.status == 206 && range.body == Array("el".utf8))
            #expect(try await host.exchange("GET", "/library/\(id)/media-1/2.vtt").status == 502)
        }
    }

    /// Otherwise a player would send requests to the hosts that the playlist refers to.
    @Test(arguments: [DownloadState.complete, .paused])
    func refusesPlaylistInsteadOfSegment(_ state: DownloadState) async throws {
        // gzip of "#EXTM3U" and one segment.
        let compressed = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA1N2jQjxNQ7lUgbSnn5uVmY6XPqJeiXFXACqiDvkGQAAAA=="))
        let plain = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://10.0.0.1/a.ts\n".utf8)
        try await withAsset(["1.ts": Array(compressed), "2.ts": plain], state: state) { host, id in
            for name in ["1.ts", "2.ts"] {
                for _ in 0..<2 {
                    let response = try await host.exchange("GET", "/library/\(id)/media-1/\(name)")
                    #expect(response.status == 502, "\(name)")
                }
            }
        }
    }

    /// Opening the top playlist counts as a play, but only once within a minute.
    @Test(.timeLimit(.minutes(30))) func countsPlaysOnce() async throws {
        try await withAsset(["1.ts": [1, 2, 3]], state: .complete) { host, id in
            for _ in 0..<3 { _ = try await host.exchange("GET", "/library/\(id)/index.m3u8") }
            _ = try await host.exchange("GET", "/library/\(id)/media-1/1.ts")
            // The play is recorded asynchronously.
            var asset: Asset?
            while asset?.plays == nil {
                try Task.checkCancellation()
                asset = try await AssetStore(of: host.store).asset(id)
                await Task.yield()
            }
            #expect(asset?.plays == 1 && asset?.lastPlayed != nil)
        }
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func includesAllAudioInMP4() async throws {
        let folder = "shaka-player/hls-"
        let pictures = try Corpus.data(folder + "ts-h264/fileSequence0.ts")
        let english = try Corpus.data(folder + "multivideo/original_128k.ts")
        let german = try Corpus.data(folder + "multivideo/low_pitch_128k.ts")
        let entry = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",URI="en.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",DEFAULT=YES,URI="de.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            v.m3u8

            """
        func media(_ name: String) -> String {
            "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nmedia-1/\(name).ts\n#EXT-X-ENDLIST\n"
        }
        try await withAsset(
            ["v.ts": Array(pictures), "en.ts": Array(english), "de.ts": Array(german)],
            ["index.m3u8": entry, "v.m3u8": media("v"), "en.m3u8": media("en"), "de.m3u8": media("de")],
            state: .complete
        ) { host, id in
            let whole = try await host.exchange("GET", "/library/\(id)/media.mp4")
            #expect(whole.status == 200)
            let tracks = try MP4Reader(MemorySource(whole.body)).movie.tracks
            #expect(tracks.map(\.media.kind) == [.video, .audio, .audio])
            #expect(tracks.dropFirst().map(\.media.language) == ["deu", "eng"])
            #expect(tracks.map(\.media.isEnabled) == [true, true, false])
        }
    }

    /// The movie depends on neither the origin's current playlists nor the cached ones.
    @Test(.enabled(if: try Prerequisite.hasCorpora())) func remuxesStreamByContents() async throws {
        let clip = try Corpus.data("videojs-mux.js/segments/test-segment.ts")
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        try await withAsset(["1.ts": Array(clip), "2.ts": png + Array(clip)], state: .complete) { host, id in
            origin.isReachable = false
            let whole = try await host.exchange("GET", "/library/\(id)/media.mp4")
            #expect(whole.status == 200)
            let movie = try MP4Reader(MemorySource(whole.body)).movie
            #expect(movie.tracks.count == 2)
            #expect(whole.body.count > clip.count * 3 / 2)
        }
        try await withAsset(["1.ts": Array(clip)], state: .paused, isCached: false) { host, id in
            let none = try await host.exchange("GET", "/library/\(id)/media.mp4")
            #expect(none.status == 404)
            #expect(origin.requests(for: try url("1.ts")).count == 1)
        }
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func remuxesIncompleteDownloadWithGaps() async throws {
        let clip = try Corpus.data("videojs-mux.js/segments/test-segment.ts")
        try await withAsset(
            ["1.ts": Array(clip), "2.ts": Array(clip)], state: .completeWithHoles, lost: ["2.ts"]
        ) { host, id in
            let refused = try await host.exchange("GET", "/library/\(id)/media.mp4")
            #expect(refused.status == 404 && refused.text.contains("?gaps=1"))
            let gapped = try await host.exchange("GET", "/library/\(id)/media.mp4?gaps=1")
            #expect(gapped.status == 200 && gapped.fields["mediacache-gap-count"] == "1")
            #expect(try MP4Reader(MemorySource(gapped.body)).movie.tracks.count == 2)
        }
    }

    @Test func marksMissingSegmentsAsGapsOnRequest() async throws {
        let bytes = [UInt8](repeating: 0x47, count: 188)
        try await withAsset(
            ["1.ts": bytes, "2.ts": bytes, "3.ts": bytes], state: .completeWithHoles, local: ["2.ts"]
        ) { host, id in
            let unmarked = try await host.exchange("GET", "/library/\(id)/index.m3u8").text
            #expect(!unmarked.contains("EXT-X-GAP"), "an export would omit the segments without an error")
            let text = try await host.exchange("GET", "/library/\(id)/index.m3u8?gaps=1").text
            #expect(text.hasSuffix("#EXTINF:9,\n#EXT-X-GAP\nmedia-1/2.ts\n#EXTINF:9,\nmedia-1/3.ts\n#EXT-X-ENDLIST\n"))
            #expect(text.split(separator: "\n").count { $0 == "#EXT-X-GAP" } == 1)
        }
    }

    /// The user has played a file from a local address, and a download's public playlist refers to this file.
    @Test(.enabled(if: try Prerequisite.hasCorpora())) func treatsCachedSegmentFromLocalAddressAsGap() async throws {
        let clip = try Corpus.data("videojs-mux.js/segments/test-segment.ts")
        try await withAsset(
            ["1.ts": Array(clip), "2.ts": Array(clip)], state: .completeWithHoles, local: ["2.ts"]
        ) { host, id in
            #expect(try await host.exchange("GET", "/library/\(id)/media-1/2.ts").status == 403)
            let gapped = try await host.exchange("GET", "/library/\(id)/media.mp4?gaps=1")
            #expect(gapped.status == 200 && gapped.fields["mediacache-gap-count"] == "1")
            #expect(gapped.body.count < clip.count * 3 / 2)
        }
    }
}
