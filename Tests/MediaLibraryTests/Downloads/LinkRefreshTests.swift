import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of links that expire during a download and are replaced with those in a new playlist.
struct LinkRefreshTests {
    private let fixture = DownloadFixture()

    private func serve(_ token: String) {
        let lines = (0..<4).map { "#EXTINF:6,\n\($0).ts?token=\(token)\n" }.joined()
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n", at: fixture.entry,
            entityTag: "\"\(token)\"")
        for number in 0..<4 { fixture.serve(DownloadFixture.packets(number), at: "\(number).ts?token=\(token)") }
    }

    /// All ranges of one resource use the same URL, even if it expires between them.
    @Test func usesOneURLForRangesOfResource() async throws {
        let bytes = (0..<4).flatMap { DownloadFixture.packets($0) }
        func serve(_ token: String) {
            let lines = (0..<4).map { "#EXTINF:6,\n#EXT-X-BYTERANGE:1880@\($0 * 1880)\nall.ts?token=\(token)\n" }
            fixture.library.serve(
                "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines.joined())#EXT-X-ENDLIST\n", at: fixture.entry,
                entityTag: "\"\(token)\"")
            fixture.serve(bytes, at: "all.ts?token=\(token)")
        }
        serve("old")
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            let gate = ScriptedGate()
            fixture.next("all.ts?token=old", .holdHead(gate))
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await gate.waitForArrivals()
            fixture.always("all.ts?token=old", .status(403))
            serve("new")
            fixture.library.time.advance(by: .seconds(1))
            gate.open()
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
            let contents = try #require(try await AssetStore(of: downloads.store).contents(of: asset.id))
            #expect(Set(contents.parts.map(\.url)).count == 1)
            let info = try await downloads.store.resource(for: try ResourceURL(contents.parts[0].url))
            #expect(info?.isComplete == true)
        }
    }

    @Test func providesFreshURLsToPlayback() async throws {
        serve("old")
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            let gate = ScriptedGate()
            fixture.next("1.ts?token=old", .holdHead(gate))
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.library.origin.wait { $0.contains { $0.url == fixture.url("1.ts?token=old") } }
            serve("new")
            fixture.library.time.advance(by: .seconds(1))
            let fresh = try await downloads.refreshedURL(for: fixture.url("2.ts?token=old"), of: asset.id)?.url
            #expect(fresh == fixture.url("2.ts?token=new"))
            #expect(try await downloads.refreshedURL(for: fixture.url("other.ts"), of: asset.id) == nil)
            gate.open()
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
            #expect(try await downloads.refreshedURL(for: fixture.url("2.ts?token=old"), of: asset.id) == nil)
        }
    }

    @Test func replacesExpiredLinks() async throws {
        serve("old")
        for number in 2..<4 { fixture.always("\(number).ts?token=old", .status(403)) }
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            let gate = ScriptedGate()
            fixture.next("1.ts?token=old", .holdHead(gate))
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.library.origin.wait { $0.contains { $0.url == fixture.url("1.ts?token=old") } }
            serve("new")
            // The refresh must be later than the first load of the playlist.
            fixture.library.time.advance(by: .seconds(1))
            gate.open()
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
        #expect(fixture.requests(for: "1.ts?token=old") == 1)
        #expect(fixture.requests(for: "2.ts?token=new") == 1)
        // By then, the remaining parts have new links.
        #expect(fixture.requests(for: "3.ts?token=old") == 0)
    }
}
