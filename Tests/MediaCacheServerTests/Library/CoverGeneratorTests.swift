import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaContainers
import MediaLibrary
import Synchronization
import TestSupport
import Testing

@testable import MediaCacheServer

/// Tests of the covers and durations of completed downloads.
@Suite(.timeLimit(.minutes(30)))
struct CoverGeneratorTests {
    private let origin = ScriptedOrigin()
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4]

    private func withHost(
        frames: any FrameExtractor = FixedFrames(), _ body: (CacheHost, APIClient) async throws -> Void
    ) async throws {
        let change: (inout ServerConfiguration) -> Void = {
            $0.keepsCovers = true
            $0.frames = frames
        }
        try await CacheHost.use(origin: origin, change) { host in try await body(host, try host.client()) }
    }

    /// Waits until the asset has a cover, and returns it.
    private func cover(of id: String, _ client: APIClient) async throws -> Cover {
        while true {
            if let cover = try await client.cover(of: id) { return cover }
            try Task.checkCancellation()
        }
    }

    /// Returns an ID3 v2.3 tag with one picture (APIC), followed by arbitrary bytes.
    private func song(_ picture: [UInt8] = Self.jpeg, type: String = "image/jpeg") -> [UInt8] {
        let picture = [0] + Array(type.utf8) + [0, 3, 0] + picture
        let length = [0, 0, UInt8(picture.count >> 8), UInt8(picture.count & 255)]
        let frame = Array("APIC".utf8) + length + [0, 0] + picture
        return Array("ID3".utf8) + [3, 0, 0, 0, 0, UInt8(frame.count >> 7), UInt8(frame.count & 127)] + frame
            + [UInt8](repeating: 0x55, count: 2_000)
    }

    /// Returns an MP4 file with a picture (`covr`) of the given iTunes type.
    private func album(_ picture: [UInt8], type: UInt8) -> [UInt8] {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            let length = UInt32(8 + content.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(type.utf8) + content
        }
        let list = box("ilst", box("covr", box("data", [0, 0, 0, type, 0, 0, 0, 0] + picture)))
        let handler = box(
            "hdlr", [UInt8](repeating: 0, count: 8) + Array("mdir".utf8) + [UInt8](repeating: 0, count: 13))
        let movie = box(
            "mvhd", [UInt8](repeating: 0, count: 12) + [0, 0, 3, 0xE8, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 80))
        let user = box("udta", box("meta", [0, 0, 0, 0] + handler + list))
        return box("ftyp", Array("M4A ".utf8) + [0, 0, 0, 0]) + box("moov", movie + user)
    }

    /// Whatever type an embedded picture declares, browsers don't open it as a document.
    @Test(arguments: [
        "image/svg+xml", "image/png,image/svg+xml", "image/jpeg;x=a,text/html", "IMAGE/SVG+XML",
        "image/x-unheard-of", "covr",
    ])
    func sendsEmbeddedScriptAsInertCover(_ type: String) async throws {
        let script = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"
        let isMP4 = type == "covr"
        let url = try ResourceURL("http://origin.example/\(isMP4 ? "album.m4a" : "song.mp3")")
        let bytes = isMP4 ? album(Array(script.utf8), type: 13) : song(Array(script.utf8), type: type)
        origin[url] = ScriptedResource(.bytes(bytes), contentType: isMP4 ? "audio/mp4" : "audio/mpeg")
        try await withHost { host, client in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            #expect(try await cover(of: id, client).bytes == Array(script.utf8))
            for path in ["/library/", "/k/\(host.server.playbackToken)/library/", "/api/v1/assets/"] {
                let response = try await host.call("GET", "\(path)\(id)/cover")
                #expect(response.status == 200)
                #expect(response.fields["content-type"] == (isMP4 ? "image/jpeg" : "application/octet-stream"))
                #expect(response.fields["content-security-policy"] == (isMP4 ? nil : "sandbox"))
                #expect(response.fields["x-content-type-options"] == "nosniff")
            }
        }
    }

    @Test func usesEmbeddedPictureOfSong() async throws {
        let url = try ResourceURL("http://origin.example/song.mp3")
        origin[url] = ScriptedResource(.bytes(song()), contentType: "audio/mpeg")
        try await withHost { host, client in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            #expect(try await cover(of: id, client).bytes == Self.jpeg)
        }
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func usesFrameOfFilm() async throws {
        let file = try Corpus.data("androidx-media/media/mp4/sample.mp4")
        let url = try ResourceURL("http://origin.example/film.mp4")
        origin[url] = ScriptedResource(.bytes(Array(file)), contentType: "video/mp4")
        try await withHost { host, client in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            #expect(try await cover(of: id, client).bytes == FixedFrames.picture)
            let asset: AssetRecord = try await host.answer("GET", "/api/v1/assets/\(id)")
            let seconds = try #require(try MP4Reader(MemorySource(Array(file))).movie.seconds)
            #expect(asset.duration == seconds && seconds > 0.9)
        }
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora()), arguments: [false, true])
    func usesFrameOfStream(isPartMissing: Bool) async throws {
        let clip = Array(try Corpus.data("videojs-mux.js/segments/test-segment.ts"))
        let base = "http://origin.example/film/"
        let parts = isPartMissing ? ["1.ts", "2.ts"] : ["1.ts"]
        let lines = parts.map { "#EXTINF:2,\n\($0)\n" }.joined()
        let entry = try ResourceURL(base + "index.m3u8")
        origin[entry] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n")
        origin[try ResourceURL(base + "1.ts")] = ScriptedResource(.bytes(clip), contentType: "video/mp2t")
        try await withHost { host, client in
            let record = try await host.download(#"{"url":"\#(entry)"}"#)
            #expect(record.state == (isPartMissing ? .completeWithHoles : .complete))
            #expect(try await cover(of: record.id, client).bytes == FixedFrames.picture)
        }
    }

    @Test func extractsPicturesWithoutRequests() async throws {
        let (film, stream, inner) = (
            try ResourceURL("http://origin.example/film.bin"), try ResourceURL("http://origin.example/index.m3u8"),
            try ResourceURL("http://192.168.0.9/1.ts")
        )
        origin[film] = ScriptedResource(.random(seed: 1, length: 50_000), contentType: "video/x-matroska")
        origin[stream] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n\(inner)\n#EXT-X-ENDLIST\n")
        origin[inner] = ScriptedResource(.random(seed: 2, length: 5_000), contentType: "video/mp2t", peer: .local)
        let frames = ReadingFrames()
        try await withHost(frames: frames) { host, client in
            let files = [
                try await host.download(#"{"url":"\#(film)"}"#), try await host.download(#"{"url":"\#(stream)"}"#),
            ]
            #expect(files.map(\.state) == [.complete, .failed])
            let requestCount = origin.requests.count
            for file in files {
                _ = try await host.call("GET", "/k/\(host.server.playbackToken)/library/\(file.id)/frame.jpg?t=1")
                _ = try await host.call("GET", "/library/\(file.id)/cover")
            }
            // A request for the missing segment has the scope of its playlist, so it is refused.
            #expect(try await host.call("GET", "/library/\(files[1].id)/media-1/000001.ts").status == 403)
            #expect(frames.lengths.withLock { $0 }.contains(50_000))
            #expect(origin.requests.count == requestCount)
            #expect(origin.requests(for: inner).isEmpty)
        }
    }

    @Test func keepsExistingCover() async throws {
        let (film, song) = (
            try ResourceURL("http://origin.example/film.bin"), try ResourceURL("http://origin.example/song.mp3")
        )
        origin[film] = ScriptedResource(.random(seed: 1, length: 5_000), contentType: "video/mp4")
        origin[song] = ScriptedResource(.bytes(self.song()), contentType: "audio/mpeg")
        try await withHost { host, client in
            let paused: DownloadRecord = try await host.answer(
                "POST", "/api/v1/downloads", body: #"{"url":"\#(film)","paused":true}"#)
            let own = Cover(bytes: [0xFF, 0xD8, 0xFF, 9], mediaType: "image/jpeg")
            try await client.setCover(own, of: paused.id)
            _ = try await host.download(#"{"url":"\#(film)"}"#)
            // Covers are generated in order, so the film's cover has been handled when the song has one.
            let id = try await host.download(#"{"url":"\#(song)"}"#).id
            _ = try await cover(of: id, client)
            #expect(try await client.cover(of: paused.id)?.bytes == own.bytes)
        }
    }
}

/// An extractor that returns the same picture for any video.
struct FixedFrames: FrameExtractor {
    static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 7]

    func frame(of url: String, at time: Double) async throws -> Cover? {
        Cover(bytes: Self.picture, mediaType: "image/jpeg")
    }
}

/// An extractor that reads the video but returns no picture.
private final class ReadingFrames: FrameExtractor {
    let lengths = Mutex<[Int]>([])

    func frame(of url: String, at time: Double) async throws -> Cover? {
        let address = url.prefix { $0 != "/" } + "//" + (url.split(separator: "/").dropFirst().first ?? "")
        let head = "GET \(url.dropFirst(address.count)) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let response = try await LoopbackClient.exchange(String(address), head)
        lengths.withLock { $0.append(response?.body.count ?? 0) }
        return nil
    }
}
