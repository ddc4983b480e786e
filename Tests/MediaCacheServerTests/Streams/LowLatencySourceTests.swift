import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of low-latency HLS (RFC 8216bis §6.2.5 and appendix B) through a store.
struct LowLatencySourceTests: StreamSourceSuite {
    let origin = ScriptedOrigin()
    let time = ManualTime()
    /// The playlist's URL, which has no playlist extension.
    let playlist: ResourceURL

    init() throws { playlist = try ResourceURL("http://origin.example/s/stream?id=1") }

    private static let head = """
        #EXTM3U
        #EXT-X-TARGETDURATION:2
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3
        #EXT-X-PART-INF:PART-TARGET=1
        #EXT-X-MEDIA-SEQUENCE:7

        """

    private static func part(_ name: String) -> String { "#EXT-X-PART:DURATION=1,URI=\"\(name)\"\n" }

    private static func hint(_ name: String) -> String { "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(name)\"\n" }

    private func serve(_ text: String, _ directives: String = "") throws -> ResourceURL {
        let url = try ResourceURL(playlist.description + directives)
        origin[url] = ScriptedResource(.text(Self.head + text), entityTag: nil, contentType: "text/plain")
        return url
    }

    /// The response to the request for a hinted part is also used for the part itself, even without a validator.
    @Test func requestsHintedPartOnce() async throws {
        let part = try segment("7.2.mp4")
        origin[part] = ScriptedResource(media(1), entityTag: nil)
        let first = try serve(Self.part("7.1.mp4") + Self.hint("7.2.mp4"))
        let second = try serve(
            Self.part("7.1.mp4") + Self.part("7.2.mp4") + Self.hint("7.3.mp4"), "&_HLS_msn=7&_HLS_part=1")
        try await withSource { (source, _) async throws in
            _ = try await read(source, first)
            #expect(try await read(source, part) == media(1).bytes)
            _ = try await read(source, second)
            #expect(try await read(source, part) == media(1).bytes)
            #expect(origin.requests(for: part).count == 1)
        }
    }

    /// The origin delays its response until the part is available, so the time limits are longer by 60 s.
    @Test func waitsForHintedPart() async throws {
        for name in ["7.1.mp4", "7.2.mp4"] { origin[try segment(name)] = ScriptedResource(media(1), entityTag: nil) }
        let first = try serve(Self.part("7.1.mp4") + Self.hint("7.2.mp4"))
        try await withSource { (source, store) async throws in
            _ = try await read(source, first)
            let usual = store.transfers.limits
            for (name, more) in [("7.1.mp4", 0), ("7.2.mp4", 60)] {
                _ = try await read(source, try segment(name))
                let limits = try #require(origin.requests(for: try segment(name)).last).limits
                #expect(limits.firstByte == usual.firstByte + .seconds(more), "\(name)")
                #expect(limits.stall == usual.stall + .seconds(more), "\(name)")
            }
        }
    }

    @Test func sendsOneRequestForReload() async throws {
        let first = try serve(Self.part("7.1.mp4"))
        let reloads = try (1...3).map { try serve(Self.part("7.\($0).mp4"), "&_HLS_msn=7&_HLS_part=\($0)") }
        try await withSource { (source, store) async throws in
            _ = try await read(source, first)
            for reload in reloads {
                _ = try await read(source, reload)
                #expect(origin.requests(for: reload).count == 1)
            }
            #expect(try await store.resources().isEmpty)
        }
    }

    /// The response to a request with delivery directives may be a delta update, which isn't the whole playlist.
    @Test(arguments: ["&_HLS_msn=8", "&_HLS_skip=YES"])
    func doesNotCacheDeltaUpdateWithEnd(_ directives: String) async throws {
        let last = try serve("#EXTINF:2,\n7.mp4\n#EXT-X-ENDLIST\n", directives)
        try await withSource { (source, store) async throws in
            #expect(try await text(source, last).contains("#EXT-X-ENDLIST"))
            #expect(try await store.resources().isEmpty)
        }
    }
}
