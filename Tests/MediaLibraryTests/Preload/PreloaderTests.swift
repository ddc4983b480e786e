import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

struct PreloaderTests {
    private let fixture = DownloadFixture()

    private func use(_ body: (Preloader) async throws -> Void) async throws {
        let store = try await fixture.library.open()
        let preloader = Preloader(store: store, loader: PlaylistLoader(store: store))
        var failure: (any Error)?
        do { try await body(preloader) } catch { failure = error }
        await preloader.stop()
        await store.close()
        if let failure { throw failure }
    }

    @Test func fetchesOnlyFirstBytesOfFile() async throws {
        let url = fixture.file(length: 3_000_000)
        try await use { preloader in
            await preloader.rank([url], amount: .bytes(100_000))
            await preloader.finished()
            #expect(await preloader.isReady(url))
        }
        let requests = fixture.library.origin.requests(for: url)
        #expect(requests.map { $0.headerFields[.range] } == ["bytes=0-99999"])
    }

    @Test(arguments: [PreloadAmount.segments(1 << 43), .segments(.max), .seconds(.infinity), .bytes(.max)])
    func hugeAmountIncludesWholeFile(_ amount: PreloadAmount) {
        #expect(PreloadRanges(amount: amount, length: 1 << 40).ranges == [0..<1 << 40])
    }

    @Test func retriesFailedAssetWhenRankedAgain() async throws {
        let url = fixture.file(length: 1000)
        fixture.library.origin.next(url, .status(500))
        try await use { preloader in
            await preloader.rank([url], amount: .bytes(1000))
            await preloader.finished()
            #expect(await !preloader.isReady(url))
            await preloader.rank([url], amount: .bytes(1000))
            await preloader.finished()
            #expect(await preloader.isReady(url))
            // A preloaded asset isn't requested again.
            await preloader.rank([url], amount: .bytes(1000))
            await preloader.finished()
        }
        #expect(fixture.library.origin.requests(for: url).count == 2)
    }

    /// The user has played a file from a local address, and a public playlist refers to it.
    @Test func refusesCachedSegmentFromLocalAddress() async throws {
        let inner = try ResourceURL("http://nas.example/1.ts")
        fixture.library.origin[inner] = ScriptedResource(
            .bytes(DownloadFixture.packets(1)), contentType: "video/mp2t", peer: .local)
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n\(inner)\n#EXT-X-ENDLIST\n", at: fixture.entry)
        let store = try await fixture.library.open()
        _ = try await store.fill(ReadRequest(url: inner))
        // Bytes requested before the access check must be confirmed by the origin.
        fixture.library.time.advance(by: .seconds(1))
        let preloader = Preloader(store: store, loader: PlaylistLoader(store: store))
        await preloader.rank([fixture.entry], amount: .segments(1))
        await preloader.finished()
        #expect(await !preloader.isReady(fixture.entry))
        await preloader.stop()
        await store.close()
    }

    /// The user played both resources before the scope was narrowed.
    @Test func refusesCachedResourcesFromLocalAddresses() async throws {
        let file = fixture.file(length: 1000)
        fixture.serveStream(segments: 1)
        for url in [file, fixture.entry] { fixture.library.origin[url]?.peer = .local }
        let store = try await fixture.library.open()
        for url in [file, fixture.entry] { _ = try await store.fill(ReadRequest(url: url)) }
        fixture.library.time.advance(by: .seconds(1))
        let preloader = Preloader(
            store: store, loader: PlaylistLoader(store: store), settings: store.transfers.narrowed(to: .publicOnly))
        await preloader.rank([file, fixture.entry], amount: .bytes(100))
        await preloader.finished()
        for url in [file, fixture.entry] { #expect(await !preloader.isReady(url), "\(url)") }
        await preloader.stop()
        await store.close()
    }

    @Test(arguments: [(PreloadAmount.segments(2), 2), (.seconds(13), 3), (.bytes(1881), 2)])
    func fetchesFirstSegmentsOfStream(_ amount: PreloadAmount, _ count: Int) async throws {
        fixture.serveStream(segments: 5)
        try await use { preloader in
            await preloader.rank([fixture.entry], amount: amount)
            await preloader.finished()
        }
        for number in 0..<5 { #expect(fixture.requests(for: "\(number).ts") == (number < count ? 1 : 0)) }
    }

    @Test func stopsAssetsThatAreNoLongerNear() async throws {
        let url = fixture.file(length: 3_000_000)
        let gate = ScriptedGate()
        fixture.always("film.mp4", .holdBody(at: 65_536, gate))
        fixture.serveStream(segments: 1)
        try await use { preloader in
            await preloader.rank([url], amount: .bytes(1_000_000))
            await fixture.library.origin.wait { $0.contains { $0.bodyBytes == 65_536 } }
            await preloader.rank([fixture.entry], amount: .segments(1))
            #expect(fixture.library.origin.requests(for: url).allSatisfy { $0.progress == .cancelled })
            await preloader.finished()
            #expect(await preloader.isReady(fixture.entry))
            #expect(await !preloader.isReady(url))
        }
        gate.open()
    }

    @Test func fetchesSegmentsOfPlaylistWithUnusualName() async throws {
        fixture.serveStream(segments: 3)
        let url = fixture.url("watch")
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n#EXTINF:6,\n1.ts\n#EXT-X-ENDLIST\n"
        fixture.library.serve(playlist, at: url)
        try await use { preloader in
            await preloader.rank([url], amount: .segments(1))
            await preloader.finished()
            #expect(await preloader.isReady(url))
        }
        #expect(fixture.requests(for: "0.ts") == 1 && fixture.requests(for: "1.ts") == 0)
    }

    @Test func reportsStates() async throws {
        fixture.serveStream(segments: 3)
        let file = fixture.file(length: 3_000_000)
        let missing = fixture.url("missing.mp4")
        let gate = ScriptedGate()
        fixture.always("film.mp4", .holdBody(at: 65_536, gate))
        try await use { preloader in
            await preloader.rank([fixture.entry, missing, file], amount: .bytes(100_000))
            await fixture.library.origin.wait { $0.contains { $0.bodyBytes == 65_536 } }
            let running = await preloader.statuses()
            #expect(running.map(\.url) == [fixture.entry, missing, file])
            guard case .running = running[2].state else { Issue.record("\(running[2])"); return }
            #expect(running[2].length == 100_000)
            gate.open()
            await preloader.finished()
            let ended = await preloader.statuses()
            guard case .ready = ended[0].state, case .failed(let failure) = ended[1].state, case .ready = ended[2].state
            else { Issue.record("\(ended)"); return }
            #expect(failure.message.contains("404"))
            #expect(ended[0].parts == 3 && ended[0].partsDone == 3 && ended[0].bytes == 3 * 1880)
            #expect(ended[2].bytes == 100_000 && ended[2].length == 100_000)
        }
    }

    @Test func preloadsNearestAssetsFirst() async throws {
        let urls = (0..<4).map { fixture.url("\($0)/index.m3u8") }
        var gates: [ScriptedGate] = []
        for (number, url) in urls.enumerated() {
            fixture.serveStream(segments: 1, in: url)
            let gate = ScriptedGate()
            fixture.next("\(number)/0.ts", .holdHead(gate))
            gates.append(gate)
        }
        let origin = fixture.library.origin
        func segments() -> [ResourceURL] { origin.requests.map(\.url).filter { $0.description.hasSuffix(".ts") } }
        let names = (0..<4).map { fixture.url("\($0)/0.ts") }
        try await use { preloader in
            await preloader.rank([urls[2], urls[0], urls[3], urls[1]], amount: .segments(1))
            await origin.wait { requests in requests.count { $0.url == names[2] || $0.url == names[0] } == 2 }
            let first = Set(segments())
            #expect(first == [names[2], names[0]])
            // The nearest waiting asset replaces the one that is no longer near.
            await preloader.rank([urls[1], urls[3], urls[0]], amount: .segments(1))
            await origin.wait { requests in requests.contains { $0.url == names[1] } }
            #expect(origin.requests(for: names[2]).allSatisfy { $0.progress == .cancelled })
            #expect(segments().last == names[1])
            for gate in gates { gate.open() }
            await preloader.finished()
            for index in [0, 1, 3] { #expect(await preloader.isReady(urls[index])) }
            #expect(segments().last == names[3])
        }
    }
}
