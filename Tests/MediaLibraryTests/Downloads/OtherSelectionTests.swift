import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of adding a stream again with another selection.
struct OtherSelectionTests {
    private let fixture = DownloadFixture()

    init() {
        fixture.library.serve(
            """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1000
            low/index.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=9000
            high/index.m3u8

            """, at: fixture.entry)
        for name in ["low", "high"] { fixture.serveStream(segments: 2, in: fixture.url("\(name)/index.m3u8")) }
    }

    private func request(_ variants: StreamSelection.Variants) -> DownloadRequest {
        DownloadRequest(url: fixture.entry, selection: StreamSelection(variants: variants))
    }

    private func isPinned(_ name: String, _ downloads: Downloads) async throws -> Bool {
        try await downloads.store.resource(for: fixture.url(name))?.isPinned == true
    }

    private func segments(of id: AssetID, _ downloads: Downloads) async throws -> [ResourceURL] {
        try await downloads.assetStore.contents(of: id)?.parts.map { try ResourceURL($0.url) } ?? []
    }

    /// Completes the low variant stream, then requests the high one while the origin is unreachable.
    private func requestOtherWhileUnreachable(_ downloads: Downloads) async throws -> AssetID {
        let id = try await downloads.add(request(.worst)).id
        #expect(try await fixture.end(id, of: downloads).state == .complete)
        fixture.library.origin.isReachable = false
        #expect(try await downloads.add(request(.best)).id == id)
        _ = try await fixture.obstacle(of: id, downloads)
        return id
    }

    @Test func keepsContentsUntilNewOnesAreKnown() async throws {
        let low = [fixture.url("low/0.ts"), fixture.url("low/1.ts")]
        try await fixture.use { downloads in
            let id = try await requestOtherWhileUnreachable(downloads)
            #expect(try await segments(of: id, downloads) == low)
            #expect(try await isPinned("low/0.ts", downloads))
        }
        // The next process still uses the new selection.
        fixture.library.origin.isReachable = true
        try await fixture.use { downloads in
            let id = try #require(await downloads.statuses().first?.asset.id)
            #expect(try await fixture.end(id, of: downloads).state == .complete)
            #expect(try await segments(of: id, downloads) == [fixture.url("high/0.ts"), fixture.url("high/1.ts")])
            #expect(try await isPinned("high/0.ts", downloads))
            #expect(try await !isPinned("low/0.ts", downloads))
            #expect(try await isPinned("index.m3u8", downloads))
        }
    }

    @Test func restartsRunningDownload() async throws {
        let gate = ScriptedGate()
        fixture.next("high/0.ts", .holdHead(gate))
        try await fixture.use { downloads in
            let first = try await downloads.add(request(.best))
            await fixture.library.origin.wait { $0.contains { $0.url == fixture.url("high/0.ts") } }
            let second = try await downloads.add(request(.worst))
            gate.open()
            #expect(first.id == second.id)
            #expect(try await fixture.end(second.id, of: downloads).state == .complete)
        }
        for number in 0..<2 { #expect(fixture.requests(for: "low/\(number).ts") == 1) }
    }

    @Test func revertsSelectionWithoutOrigin() async throws {
        try await fixture.use { downloads in
            let id = try await requestOtherWhileUnreachable(downloads)
            let before = fixture.library.origin.requests.count
            _ = try await downloads.add(request(.worst))
            #expect(try await fixture.end(id, of: downloads).state == .complete)
            #expect(fixture.library.origin.requests.count == before)
        }
    }
}
