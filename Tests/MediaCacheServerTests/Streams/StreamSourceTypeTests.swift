import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of detecting playlists and media in a stream, whatever their names and types are.
struct StreamSourceTypeTests: StreamSourceSuite {
    let origin = ScriptedOrigin()
    let time = ManualTime()
    let playlist: ResourceURL

    init() throws { playlist = try ResourceURL("http://origin.example/s/index.m3u8") }

    @Test func detectsPlaylistByContent() async throws {
        let odd = try ResourceURL("http://origin.example/s/stream.php?id=1")
        origin[odd] = ScriptedResource(.text(Self.live(from: 1, "/a.ts")), contentType: "text/html")
        try await withSource { (source, store) async throws in
            #expect(try await text(source, odd).contains("/play/K;net=public/http/"))
            origin.replaceBody(odd, with: .text(Self.live(from: 2, "/b.ts")), entityTag: "\"2\"")
            #expect(try await text(source, odd).contains("b.ts"))
            #expect(try await store.resources().isEmpty)
        }
    }

    private static let outside = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nhttp://10.0.0.1/a.ts\n#EXT-X-ENDLIST\n"
    private static let rewritten = "/play/K;net=public/http/10.0.0.1/a.ts"

    /// Players compare the bytes of the signature, and skip whitespace before it.
    @Test(
        arguments: [
            outside.replacing("#EXTM3U", with: "#EXTM3U\u{301}"), outside.replacing("#EXTM3U", with: "#EXTM3U\u{200D}"),
            String(repeating: "\n", count: 1500) + outside,
        ], [RequestedRange.all, .from(0)])
    func rewritesPlaylistNamedLikeMovie(_ text: String, _ range: RequestedRange) async throws {
        let film = try ResourceURL("http://origin.example/film.mp4")
        origin[film] = ScriptedResource(.text(text))
        try await withSource { (source, _) async throws in
            for _ in 0..<2 {
                let sent = String(decoding: try await read(source, film, range), as: UTF8.self)
                #expect(sent.utf8.contains(Self.rewritten.utf8) && !sent.utf8.contains("\nhttp:".utf8))
            }
        }
    }

    /// The first bytes may be an incomplete playlist signature.
    @Test(arguments: [1, 3, 6], [RequestedRange.all, .from(0)])
    func waitsForCompletePlaylistSignature(_ count: Int64, _ range: RequestedRange) async throws {
        let film = try ResourceURL("http://origin.example/film.mp4")
        let gate = ScriptedGate()
        origin[film] = ScriptedResource(.text(Self.outside))
        origin.next(film, .holdBody(at: count, gate))
        try await withSource { (source, _) async throws in
            async let first = read(source, film, range)
            await gate.waitForArrivals()
            // The two sleepers are the stall timeout and the wait for bytes that identify the type.
            await time.waitForSleepers(2)
            time.advance(by: .milliseconds(250))
            gate.open()
            #expect(String(decoding: try await first, as: UTF8.self).contains(Self.rewritten))
            let second = String(decoding: try await read(source, film, range), as: UTF8.self)
            #expect(second.contains(Self.rewritten))
        }
    }

    /// The first request is for bytes in the middle, which don't identify the type.
    @Test(arguments: [RequestedRange.all, .from(0)])
    func checksStartOfVersionFirstReadInMiddle(_ range: RequestedRange) async throws {
        let film = try ResourceURL("http://origin.example/film.mp4")
        let padding = String(repeating: "# padding\n", count: 1000)
        let body = Array((Self.outside + padding).utf8) + media(1).bytes.prefix(50_000)
        origin[film] = ScriptedResource(.bytes(body))
        try await withSource { (source, store) async throws in
            #expect(try await read(source, film, .from(30_000)).count == body.count - 30_000)
            #expect(try await store.resource(for: film)?.contentType == "video/mp4")
            for _ in 0..<3 {
                let sent = (try? await read(source, film, range)) ?? []
                #expect(!sent.contains("\nhttp:".utf8))
            }
            #expect(try await store.resource(for: film)?.contentType != "video/mp4")
        }
    }

    /// An origin may respond to each request with another version, which must not be stored.
    @Test(arguments: [("list.m3u8", "mpmp"), ("film.mp4", "pmp"), ("film.mp4", "cmp")])
    func servesOnlyCheckedVersion(_ name: String, _ answers: String) async throws {
        let url = try segment(name)
        let packet = [0x47] + [UInt8](repeating: 0, count: 187)
        let media = [[UInt8]](repeating: packet, count: 6).flatMap(\.self)
        let text = Array(Self.outside.utf8)
        let list = text + [UInt8](repeating: 0x0A, count: media.count - text.count)
        let resources = answers.map { answer in
            ScriptedResource(.bytes(answer == "p" ? list : media), cacheControl: "no-store")
        }
        origin[url] = resources[0]
        for (answer, next) in zip(answers, resources.dropFirst()) {
            if answer == "c" {
                origin.next(url, .contentEncoding("gzip"))
            } else {
                origin.next(url, .replace(after: 1, with: next))
            }
        }
        try await withSource { (source, _) async throws in
            for _ in 0..<2 {
                let sent = try? await read(source, url)
                #expect(sent?.contains("\nhttp:".utf8) != true)
            }
        }
    }

    @Test func readsUnstorableMediaWithPlaylistName() async throws {
        let url = try segment("list.m3u8")
        let text = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"
        origin[url] = ScriptedResource(.text(text), entityTag: nil, cacheControl: "no-store")
        try await withSource { (source, _) async throws in
            for _ in 0..<2 { #expect(try await self.text(source, url) == text) }
            #expect(origin.requests(for: url).count == 2)
        }
    }

    /// Some players read only as many bytes of a key's URL as a key has, and a playlist may be that short.
    @Test(arguments: [16, 32], [RequestedRange.all, .closed(0, through: 3)])
    func refusesPlaylistInsteadOfKey(_ length: Int, _ range: RequestedRange) async throws {
        let key = try segment("key")
        serve(Self.onDemand.replacing("#EXTINF", with: "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF"))
        let text = Array("#EXTM3U\n#EXTINF:1,\n//0:18931/ka".utf8)
        origin[key] = ScriptedResource(
            .bytes(Array((text + [0x20]).prefix(length))), contentType: "application/octet-stream")
        try await withSource { (source, _) async throws in
            _ = try await read(source, playlist)
            for _ in 0..<2 {
                let error = await #expect(throws: CacheError.self) { try await read(source, key, range) }
                #expect(error?.code == .notMedia)
            }
        }
    }

    /// Players that choose a parser by name parse any text as a playlist.
    @Test(
        arguments: [
            "WEBVTT\nhttp://10.0.0.1/x\n", "WEBVTT\n\n  smb://10.0.0.1/x", "WEBVTT\r//10.0.0.1/x", "WEBVTT\n#EXTM3U\n",
            "GIF8#\n#EXTM3U\nhttp://10.0.0.1/x\n", "ID3#\nhttp://10.0.0.1/x\n", "xxxxmoov\nx.ts\n",
            "GIF8\0\nhttp://10.0.0.1/x\n",
        ], [RequestedRange.all, .from(0)])
    func refusesTextNamedLikePlaylist(_ text: String, _ range: RequestedRange) async throws {
        for name in ["list.m3u8", "LIST.M3U?x=1"] {
            let url = try segment(name)
            origin[url] = ScriptedResource(.text(text))
            try await withSource { (source, store) async throws in
                for _ in 0..<2 {
                    let error = await #expect(throws: CacheError.self) { try await read(source, url, range) }
                    #expect(error?.code == .notMedia)
                    // The second attempt reads from the cache.
                    _ = try await bytes(of: try await store.read(ReadRequest(url: url)))
                }
            }
        }
    }

    @Test(arguments: ["WEBVTT\n\n00:00.000 --> 00:01.000\nHello: a/b\n", "GIF89a\0\u{1}\n\u{2}"])
    func playsMediaNamedLikePlaylist(_ text: String) async throws {
        origin[playlist] = ScriptedResource(.text(text))
        try await withSource { (source, _) async throws in
            for _ in 0..<2 { #expect(try await self.text(source, playlist) == text) }
        }
    }

    /// The origin sends a content coding that wasn't requested: gzip of "#EXTM3U" and one segment, "/a.ts".
    @Test(arguments: ["text/html", "application/vnd.apple.mpegurl"])
    func detectsCodedPlaylistByContent(_ type: String) async throws {
        let odd = try ResourceURL("http://origin.example/s/stream.php?id=1")
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA1N2jQjxNQ7lUgbSnn5uVmY6XPqJeiXFXACqiDvkGQAAAA=="))
        origin[odd] = ScriptedResource(
            .bytes(Array(coded)), contentType: type, headerFields: [.contentEncoding: "gzip"])
        try await withSource { (source, store) async throws in
            for _ in 0..<2 {
                #expect(try await text(source, odd).contains("/play/K;net=public/http/origin.example/a.ts"))
            }
            #expect(try await store.resources().isEmpty)
            // After the first request, the URL is known to refer to a playlist.
            #expect(origin.requests(for: odd).count == 3)
        }
    }

    @Test func explainsPlainListOfURLs() async throws {
        let list = try ResourceURL("http://origin.example/s/radio.m3u")
        origin[list] = ScriptedResource(.text("http://h.example/1.mp3\r\nhttp://h.example/2.mp3\r\n"))
        try await withSource { (source, _) async throws in
            let error = await #expect(throws: CacheError.self) { try await read(source, list) }
            #expect(error?.code == .notMedia && error?.message.contains("a list of URLs without #EXTM3U") == true)
        }
    }

    @Test func refusesCodedMovie() async throws {
        let film = try ResourceURL("http://origin.example/film.mp4")
        origin[film] = ScriptedResource(.text("coded"), headerFields: [.contentEncoding: "br"])
        try await withSource { (source, _) async throws in
            let error = await #expect(throws: CacheError.self) { try await read(source, film) }
            #expect(error?.code == .badResponse && error?.message.contains("“br”") == true)
        }
    }

    @Test(arguments: [true, false])
    func rewritesUTF16PlaylistAsUTF8(isBigEndian: Bool) async throws {
        let text = Self.live(from: 1, "http://elsewhere.example/a.ts")
        let units = Array(("\u{FEFF}" + text).utf16)
        let bytes = units.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
        origin[playlist] = ScriptedResource(.bytes(bytes), contentType: "application/octet-stream")
        try await withSource { (source, store) async throws in
            let target = try PlayTarget(PlayTarget.path(for: playlist, token: "K"))
            let reader = try await source.reader(ReadRequest(url: playlist), for: target)
            #expect(reader.head.contentType == "application/vnd.apple.mpegurl")
            let sent = String(decoding: try await self.bytes(of: reader), as: UTF8.self)
            #expect(
                sent == text.replacing("http://elsewhere.example", with: "/play/K;net=public/http/elsewhere.example"))
            // The playlist is live and therefore not stored.
            #expect(try await store.resources().isEmpty)
        }
    }
}
