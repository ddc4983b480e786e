import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of streams that are read through a store, and of the resulting origin requests.
struct StreamSourceTests: StreamSourceSuite {
    let origin = ScriptedOrigin()
    let time = ManualTime()
    let playlist: ResourceURL

    init() throws { playlist = try ResourceURL("http://origin.example/s/index.m3u8") }

    @Test func servesRangesOfRewrittenPlaylist() async throws {
        serve(Self.live(from: 1, "/a.ts") + "#EXT-X-ENDLIST\n")
        try await withSource { (source, _) async throws in
            let whole = try await read(source, playlist)
            #expect(String(decoding: whole, as: UTF8.self).contains("/play/K;net=public/http/origin.example/a.ts\n"))
            #expect(try await read(source, playlist, .suffix(3)) == Array("ST\n".utf8))
            let error = await #expect(throws: CacheError.self) { try await read(source, playlist, .from(9999)) }
            #expect(error?.completeLength == Int64(whole.count))
        }
    }

    /// The playlist has two segments of 6 s.
    @Test(arguments: [nil, 12, 11.9] as [Double?], [false, true])
    func storesStreamsUpToMaximumDuration(limit: Double?, isLive: Bool) async throws {
        serve(Self.live(from: 1, "a.ts", "b.ts") + (isLive ? "" : "#EXT-X-ENDLIST\n"))
        let segment = try ResourceURL("http://origin.example/s/a.ts")
        origin[segment] = ScriptedResource(
            .random(seed: 1, length: 50_000), entityTag: "\"1\"", contentType: "video/mp2t")
        var admission = AdmissionPolicy.keepAll
        admission.maximumDuration = limit.map { .seconds($0) }
        try await withSource(admission: admission) { (source, store) async throws in
            _ = try await read(source, playlist)
            for _ in 0..<2 { #expect(try await read(source, segment).count == 50_000) }
            let isStored = isLive || limit != 11.9
            #expect(try await (store.resource(for: segment) != nil) == isStored)
            #expect(origin.requests(for: segment).count == (isStored ? 1 : 2))
        }
    }

    /// A browser that continues an earlier response would combine parts of two versions.
    @Test(arguments: [RequestedRange.closed(0, through: 9), .from(40), .from(9999), .suffix(3)])
    func servesLivePlaylistWhole(_ range: RequestedRange) async throws {
        serve(Self.live(from: 1, "/a.ts"))
        try await withSource { (source, _) async throws in
            let target = try PlayTarget(PlayTarget.path(for: playlist, token: "K"))
            let reader = try await source.reader(ReadRequest(url: playlist, range: range), for: target)
            #expect(!reader.acceptsRanges)
            #expect(reader.range == 0..<(try #require(reader.head.length)))
        }
    }

    /// Short variables are part of the play URL. Longer ones are referenced by a token that is valid until the server
    /// stops.
    @Test(arguments: [20, 40_000])
    func passesVariablesToMediaPlaylists(_ length: Int) async throws {
        let token = String(repeating: "t", count: length)
        let multivariant = try ResourceURL("http://origin.example/s/all.m3u8")
        origin[multivariant] = ScriptedResource(
            .text("#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(token)\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nindex.m3u8\n"))
        serve("#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"a\"\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n/x?{$a}\n")
        var path = ""
        try await withSource { (source, _) async throws in
            let line = try await text(source, multivariant).split(separator: "\n").last.map(String.init)
            path = line ?? ""
            #expect((20..<500).contains(line?.utf8.count ?? 0))
            let media = try await read(source, path: line ?? "")
            #expect(
                String(decoding: media, as: UTF8.self).contains("/play/K;net=public/http/origin.example/x?\(token)\n"))
            // The URL is the same for each request.
            #expect(try await text(source, multivariant).split(separator: "\n").last.map(String.init) == line)
        }
        try await withSource { (source, _) async throws in
            if length < 1000 {
                let media = try await read(source, path: path)
                #expect(String(decoding: media, as: UTF8.self).contains("x?\(token)\n"))
            } else {
                let error = await #expect(throws: CacheError.self) { try await read(source, path: path) }
                #expect(error?.message.contains("multivariant playlist") == true)
                serve("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n/x\n")
                #expect(try await read(source, path: path).isEmpty == false)
            }
        }
    }

    @Test(arguments: [true, false])
    func doesNotRequestGap(isLive: Bool) async throws {
        let gap = Self.live(from: 1, "a.ts").replacing("a.ts", with: "#EXT-X-GAP\na.ts")
        serve(isLive ? gap : gap + "#EXT-X-ENDLIST\n")
        let url = try segment("a.ts")
        try await withSource { (source, _) async throws in
            _ = try await read(source, playlist)
            let error = await #expect(throws: CacheError.self) { try await read(source, url) }
            #expect(error?.code == .notFound)
            #expect(origin.requests(for: url).isEmpty)
        }
    }

    @Test func playsCachedGap() async throws {
        let url = try segment("a.ts")
        origin[url] = ScriptedResource(media(1))
        try await withSource { (source, _) async throws in
            #expect(try await read(source, url) == media(1).bytes)
            serve(Self.onDemand.replacing("a.ts", with: "#EXT-X-GAP\na.ts"))
            _ = try await read(source, playlist)
            #expect(try await read(source, url) == media(1).bytes)
        }
    }

    @Test func fetchesSegmentWithOneRequest() async throws {
        serve(Self.onDemand)
        let url = try segment("a.ts")
        origin[url] = ScriptedResource(media(1))
        try await withSource { (source, _) async throws in
            _ = try await read(source, playlist)
            for _ in 0..<2 { #expect(try await read(source, url) == media(1).bytes) }
            #expect(origin.requests(for: url).count == 1)
        }
    }

    @Test func limitsPrefetchToScopeOfPlaylist() async throws {
        serve(Self.live(from: 0, "a.ts", "http://192.168.0.1/b.ts", "c.ts") + "#EXT-X-ENDLIST\n")
        let inside = try ResourceURL("http://192.168.0.1/b.ts")
        origin[inside] = ScriptedResource(media(1), peer: .local)
        for name in ["a.ts", "c.ts"] { origin[try segment(name)] = ScriptedResource(media(1)) }
        try await withSource(ahead: 2) { (source, store) async throws in
            _ = try await read(source, playlist)
            _ = try await read(source, try segment("a.ts"))
            let c = try segment("c.ts")
            await origin.wait { requests in requests.contains { $0.url == c } }
            #expect(try await store.resource(for: inside) == nil)
        }
    }

    @Test func prefetchesNextSegments() async throws {
        serve(Self.onDemand)
        for name in ["a.ts", "b.ts", "c.ts", "d.ts"] { origin[try segment(name)] = ScriptedResource(media(1)) }
        try await withSource(ahead: 2) { (source, store) async throws in
            _ = try await read(source, playlist)
            _ = try await read(source, try segment("a.ts"))
            let (b, c) = (try segment("b.ts"), try segment("c.ts"))
            await origin.wait { requests in [b, c].allSatisfy { url in requests.contains { $0.url == url } } }
            #expect(origin.requests(for: try segment("d.ts")).isEmpty)
            // The player receives the prefetched segment without another request.
            #expect(try await read(source, b) == media(1).bytes)
            #expect(origin.requests(for: b).count == 1)
        }
    }

    /// A restarted encoder reuses segment names.
    @Test(arguments: ["\"2\"", nil])
    func identifiesLiveSegmentBySequence(_ entityTag: String?) async throws {
        let url = try segment("a.ts")
        origin[url] = ScriptedResource(media(1), entityTag: entityTag.map { _ in "\"1\"" })
        try await withSource { (source, _) async throws in
            serve(Self.live(from: 100, "a.ts"))
            _ = try await read(source, playlist)
            for _ in 0..<2 { #expect(try await read(source, url) == media(1).bytes) }
            #expect(origin.requests(for: url).count == 1)
            origin.replaceBody(url, with: media(2), entityTag: entityTag)
            serve(Self.live(from: 0, "a.ts"), entityTag: "\"2\"")
            _ = try await read(source, playlist)
            for _ in 0..<2 { #expect(try await read(source, url) == media(2).bytes) }
            #expect(origin.requests(for: url).count == 2)
        }
    }

    @Test func doesNotServePrefetchedSegmentOfEarlierRun() async throws {
        let url = try segment("1.ts")
        let gate = ScriptedGate()
        origin[try segment("0.ts")] = ScriptedResource(media(3))
        origin[url] = ScriptedResource(media(1), entityTag: nil)
        origin.next(url, .holdHead(gate))
        try await withSource(ahead: 1) { (source, _) async throws in
            serve(Self.live(from: 0, "0.ts", "1.ts"))
            _ = try await read(source, playlist)
            _ = try await read(source, try segment("0.ts"))
            await origin.wait { requests in requests.contains { $0.url == url } }
            origin.replaceBody(playlist, with: .text(Self.live(from: 8, "8.ts")), entityTag: "\"2\"")
            _ = try await read(source, playlist)
            origin.replaceBody(playlist, with: .text(Self.live(from: 0, "0.ts", "1.ts")), entityTag: "\"3\"")
            origin.replaceBody(url, with: media(2), entityTag: nil)
            _ = try await read(source, playlist)
            gate.open()
            #expect(try await read(source, url) == media(2).bytes)
        }
    }

    /// A restarted encoder reuses sequence numbers and names for new media.
    @Test(arguments: [("\"2\"", 3), ("\"2\"", 1), (nil, 1)])
    func detectsRestartedEncoder(_ entityTag: String?, _ count: Int) async throws {
        let names = ["0.ts", "1.ts", "2.ts", "3.ts", "key"]
        for name in names {
            origin[try segment(name)] = ScriptedResource(media(1), entityTag: entityTag.map { _ in "\"1\"" })
        }
        func event(_ count: Int) -> String {
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n"
                + names[..<count].map { "#EXTINF:6,\n\($0)\n" }.joined()
        }
        try await withSource { (source, _) async throws in
            serve(event(4))
            _ = try await read(source, playlist)
            for name in names { #expect(try await read(source, try segment(name)) == media(1).bytes) }
            serve(event(count), entityTag: "\"3\"")
            for name in names { origin.replaceBody(try segment(name), with: media(2), entityTag: entityTag) }
            _ = try await read(source, playlist)
            for name in names[..<count] + ["key"] {
                let isNew = try await read(source, try segment(name)) == media(2).bytes
                // One missing segment may mean an outdated version from an intermediate cache.
                #expect(isNew == (count < 3), "\(name)")
            }
        }
    }

    /// An on-demand stream was encoded again with the same names.
    @Test(arguments: ["\"2\"", nil])
    func doesNotMixVersionsOfStream(_ entityTag: String?) async throws {
        func serve(_ text: String, _ tag: String) {
            origin[playlist] = ScriptedResource(
                .text(text), entityTag: tag, contentType: "text/plain", headerFields: [.cacheControl: "no-cache"])
        }
        let names = ["a.ts", "b.ts", "c.ts", "d.ts"]
        for name in names {
            origin[try segment(name)] = ScriptedResource(media(1), entityTag: entityTag.map { _ in "\"1\"" })
        }
        try await withSource { (source, _) async throws in
            serve(Self.onDemand, "\"1\"")
            _ = try await read(source, playlist)
            for name in names[..<3] { _ = try await read(source, try segment(name)) }
            // An unchanged playlist isn't a new version.
            _ = try await read(source, playlist)
            #expect(try await read(source, try segment("a.ts")) == media(1).bytes)
            #expect(origin.requests(for: try segment("a.ts")).count == 1)
            serve(Self.onDemand.replacing("INF:6", with: "INF:5"), "\"2\"")
            for name in names { origin.replaceBody(try segment(name), with: media(2), entityTag: entityTag) }
            _ = try await read(source, playlist)
            for name in names { #expect(try await read(source, try segment(name)) == media(2).bytes, "\(name)") }
        }
    }

    /// Encrypted segments play even if they have a playlist's media type or a content coding.
    @Test(arguments: ["application/vnd.apple.mpegurl", "audio/x-mpegurl", "video/mp2t"], [false, true])
    func servesEncryptedSegmentWithPlaylistType(_ type: String, isCoded: Bool) async throws {
        let bytes = Array(media(7).bytes.prefix(50_000))
        serve(Self.onDemand.replacing("#EXTINF", with: "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF"))
        for name in ["a.ts", "b.ts"] {
            origin[try segment(name)] = ScriptedResource(
                .bytes(isCoded ? Self.stored(bytes) : bytes), contentType: type,
                headerFields: isCoded ? [.contentEncoding: "deflate"] : [:])
        }
        try await withSource { (source, _) async throws in
            _ = try await read(source, playlist)
            for name in ["a.ts", "b.ts", "a.ts"] { #expect(try await read(source, try segment(name)) == bytes) }
            for name in ["a.ts", "b.ts"] { #expect(origin.requests(for: try segment(name)).count <= 2) }
        }
    }

    /// Returns the bytes as an uncompressed zlib stream (RFC 1950 and 1951).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let count = UInt16(bytes.count)
        let lengths = [count, ~count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let sum = high << 16 | low
        return [0x78, 0x01, 0x01] + lengths + bytes + [24, 16, 8, 0].map { UInt8(sum >> $0 & 0xFF) }
    }

    @Test func doesNotServeOldSegmentForMissingOne() async throws {
        let url = try segment("a.ts")
        origin[url] = ScriptedResource(media(1))
        try await withSource { (source, _) async throws in
            serve(Self.live(from: 100, "a.ts"))
            _ = try await read(source, playlist)
            _ = try await read(source, url)
            serve(Self.live(from: 101, "a.ts"), entityTag: "\"2\"")
            origin.always(url, .status(404))
            _ = try await read(source, playlist)
            let error = await #expect(throws: CacheError.self) { try await read(source, url) }
            #expect(error?.status == 404)
        }
    }

    @Test func playsCachedStreamWithoutOrigin() async throws {
        serve(Self.onDemand)
        for name in ["a.ts", "b.ts"] { origin[try segment(name)] = ScriptedResource(media(1)) }
        try await withSource { (source, _) async throws in
            let text = try await read(source, playlist)
            _ = try await read(source, try segment("a.ts"))
            origin.isReachable = false
            #expect(try await read(source, playlist) == text)
            #expect(try await read(source, try segment("a.ts")) == media(1).bytes)
            await #expect(throws: CacheError.self) { try await read(source, try segment("b.ts")) }
        }
    }

    @Test func separatesBlockingReloads() async throws {
        let first = try ResourceURL("http://origin.example/s/index.m3u8?_HLS_msn=5&_HLS_part=0")
        let second = try ResourceURL("http://origin.example/s/index.m3u8?_HLS_msn=5&_HLS_part=1")
        origin[first] = ScriptedResource(.text(Self.live(from: 1, "a.ts")), contentType: "text/plain")
        origin[second] = ScriptedResource(.text(Self.live(from: 1, "b.ts")), contentType: "text/plain")
        try await withSource { (source, store) async throws in
            #expect(try await text(source, first).contains("a.ts"))
            #expect(try await text(source, second).contains("b.ts"))
            #expect(try await store.resources().isEmpty)
        }
    }
}
