import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

struct RedundantDownloadTests {
    private let fixture = DownloadFixture()

    /// Serves a stream with audio on two pathways, with four segments in each playlist. `b` is a copy of `a`.
    private func serve(ranges: Bool = false) {
        var entry = "#EXTM3U\n#EXT-X-CONTENT-STEERING:SERVER-URI=\"/steering\",PATHWAY-ID=\"a\"\n"
        for pathway in ["b", "a"] {
            entry += """
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="\(pathway)",NAME="English",DEFAULT=YES,URI="\(pathway)/en/index.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="\(pathway)",PATHWAY-ID="\(pathway)"
                \(pathway)/low/index.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="\(pathway)",PATHWAY-ID="\(pathway)"
                \(pathway)/high/index.m3u8

                """
            for (seed, folder) in ["en", "low", "high"].enumerated() {
                let segments = (0..<4).map { DownloadFixture.packets(seed * 100 + $0) }
                var lines = ""
                for (number, bytes) in segments.enumerated() {
                    lines += "#EXTINF:6,\n"
                    if ranges { lines += "#EXT-X-BYTERANGE:\(bytes.count)@\(number * bytes.count)\n" }
                    lines += ranges ? "all.ts\n" : "\(number).ts\n"
                    fixture.serve(bytes, at: "\(pathway)/\(folder)/\(number).ts")
                }
                fixture.serve(Array(segments.joined()), at: "\(pathway)/\(folder)/all.ts")
                fixture.library.serve(
                    "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n",
                    at: fixture.url("\(pathway)/\(folder)/index.m3u8"))
            }
        }
        fixture.library.serve(entry, at: fixture.entry)
    }

    private func requests(_ prefix: String) -> Int {
        fixture.library.origin.requests.count { $0.url.description.contains("/one/\(prefix)") }
    }

    /// Downloads the stream, and checks its state, holes and parts.
    private func download(variants: StreamSelection.Variants = .best, holes: Int = 0) async throws {
        try await fixture.use { downloads in
            var request = DownloadRequest(url: fixture.entry)
            request.selection.variants = variants
            let asset = try await downloads.add(request)
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.state == (holes == 0 ? .complete : .completeWithHoles))
            #expect(download.holes.count == holes)
            let parts = variants == .all ? 12 : 8
            #expect(download.parts == .init(done: parts - holes, total: parts))
        }
    }

    @Test func downloadsEachRenditionOnce() async throws {
        serve()
        try await download(variants: .all)
        #expect(requests("b/") == 0)
        #expect(requests("a/high/index.m3u8") == 1)
    }

    @Test(arguments: [ScriptedFault.status(404), .status(503), .unreachable, .page()])
    func loadsPlaylistFromNextPathway(fault: ScriptedFault) async throws {
        serve()
        fixture.always("a/high/index.m3u8", fault)
        try await download()
        #expect(requests("b/high/") == 5)
        #expect(requests("a/en/") == 5)
        #expect(requests("b/en/") == 0)
    }

    @Test(arguments: [ScriptedFault.status(404), .status(503), .unreachable, .page()])
    func fetchesSegmentFromNextPathway(fault: ScriptedFault) async throws {
        serve()
        fixture.always("a/high/2.ts", fault)
        try await download()
        #expect(requests("b/high/2.ts") == 1)
        let contents = try await contents()
        let part = try #require(contents.parts.first { $0.name == "video-1/000003.ts" })
        #expect(part.url.hasSuffix("b/high/2.ts"))
    }

    @Test func fetchesRangeFromNextPathway() async throws {
        serve(ranges: true)
        fixture.always("a/high/all.ts", .status(404))
        try await download()
        #expect(try await contents().parts.filter { $0.url.hasSuffix("b/high/all.ts") }.count == 4)
    }

    /// After a failure, the remaining segments are also fetched from the next pathway.
    @Test func leavesUnreachablePathway() async throws {
        serve()
        for folder in ["en", "high"] {
            for number in 0..<4 { fixture.always("a/\(folder)/\(number).ts", .unreachable) }
        }
        try await download()
        #expect(requests("b/high/") >= 5)
        #expect(requests("a/en/3.ts") <= 1)
    }

    @Test func listsSegmentMissingOnAllPathways() async throws {
        serve()
        fixture.always("a/high/2.ts", .status(404))
        fixture.always("b/high/2.ts", .status(404))
        try await download(holes: 1)
    }

    private func contents() async throws -> AssetContents {
        let store = try await fixture.library.open()
        let assetStore = AssetStore(of: store)
        let id = try #require(try await assetStore.assets().first?.id)
        let contents = try #require(try await assetStore.contents(of: id))
        await store.close()
        return contents
    }
}
