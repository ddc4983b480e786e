import MediaCacheTesting
import Testing

@testable import MediaCache

@Suite(.timeLimit(.minutes(60)))
struct TrafficTests {
    private static let body = ScriptedBody.random(seed: 21, length: 2_000_000)
    private let fixture: EngineFixture
    private let film: ResourceURL

    init() throws {
        fixture = try EngineFixture(serving: ScriptedResource(Self.body))
        film = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[film] = ScriptedResource(Self.body)
    }

    private func open(_ change: (inout CacheConfiguration) -> Void = { _ in }) async throws -> CacheStore {
        try await fixture.open { configuration in
            configuration.setLongLimits()
            change(&configuration)
        }
    }

    /// Starts a download, and waits until its response reaches a gate at `position`. Returns both.
    private func download(
        from store: CacheStore, to position: Int64
    ) async -> (Task<ResourceInfo, any Error>, ScriptedGate) {
        let gate = ScriptedGate()
        fixture.origin.next(fixture.url, .holdBody(at: position, gate), .bufferSize(50_000))
        let task = Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        await gate.waitForArrivals()
        return (task, gate)
    }

    private func bytesOfDownload() -> Int64 {
        fixture.origin.requests.filter { $0.url == fixture.url }.reduce(0) { $0 + $1.bodyBytes }
    }

    /// Advances the clock until a condition is true, for at most five minutes in real time, because files are written.
    /// Returns the elapsed time of the clock.
    private func pass(_ step: Duration = .milliseconds(5), until condition: () async throws -> Bool) async rethrows
        -> Duration
    {
        let start = fixture.time.monotonic
        let deadline = ContinuousClock.now + .seconds(300)
        while ContinuousClock.now < deadline {
            if try await condition() { break }
            for _ in 0..<20 { await Task.yield() }
            fixture.time.advance(by: step)
        }
        return fixture.time.monotonic - start
    }

    @Test func pausesDownloadAndClosesItsConnectionForPlayback() async throws {
        let store = try await open()
        let (download, gate) = await download(from: store, to: 500_000)
        let head = ScriptedGate()
        fixture.origin.always(film, .holdHead(head))
        let playing = Task { try await store.bytes(film) }
        await head.waitForArrivals()
        gate.open()
        await store.settled { $0.engine.traffic.holdingCount == 1 }
        let received = bytesOfDownload()
        #expect(received <= 600_000)
        #expect(fixture.origin.requests[0].progress == .running)
        // The connection is closed 50 ms after the beginning of the shortage.
        await fixture.time.waitForSleeper(until: .milliseconds(50))
        fixture.time.advance(by: .milliseconds(49))
        #expect(fixture.origin.requests[0].progress == .running)
        fixture.time.advance(by: .milliseconds(1))
        await fixture.origin.wait { $0[0].progress == .cancelled }
        _ = await pass { fixture.time.monotonic > .seconds(5) }
        #expect(bytesOfDownload() == received)
        head.open()
        #expect(try await playing.value == Self.body.bytes)
        let done = Task { try await download.value.isComplete }
        _ = await pass { store.statistics.runningFills == 0 }
        #expect(try await done.value)
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        // No received byte is requested again.
        #expect(bytesOfDownload() == Self.body.length)
        #expect(store.engine.scheduler.isIdle)
        await store.close()
    }

    @Test func continuesDownloadsFromOtherHosts() async throws {
        let store = try await open()
        let dead = try ResourceURL("http://dead.example/film.mp4")
        let head = ScriptedGate()
        fixture.origin.always(dead, .holdHead(head))
        let playing = Task { try await store.bytes(dead) }
        await head.waitForArrivals()
        // The clock doesn't advance, so the download must not pause.
        let info = try await store.fill(ReadRequest(url: fixture.url, transferClass: .download))
        #expect(info.isComplete)
        #expect(store.engine.traffic.holdingCount == 0)
        playing.cancel()
        _ = try? await playing.value
        await store.close()
    }

    @Test func resumesDownloadIfPlaybackReceivesNothing() async throws {
        let store = try await open()
        let (download, gate) = await download(from: store, to: 500_000)
        let head = ScriptedGate()
        fixture.origin.always(film, .holdHead(head))
        let playing = Task { try await store.bytes(film) }
        await head.waitForArrivals()
        gate.open()
        await store.settled { $0.engine.traffic.holdingCount == 1 }
        let pausedFor = await pass(.milliseconds(50)) { store.statistics.runningFills == 0 }
        #expect(pausedFor >= .seconds(9))
        #expect(try await download.value.isComplete)
        #expect(fixture.origin.requests(for: film).map(\.progress) == [.running])
        head.open()
        #expect(try await playing.value == Self.body.bytes)
        await store.close()
    }

    /// A low-latency player always has a pending playlist request, which the origin answers when the playlist changes.
    @Test func continuesDownloadDuringBlockingRequests() async throws {
        let store = try await open()
        let (download, gate) = await download(from: store, to: 500_000)
        var request = WholeBodyRequest(url: film, settings: store.transfers) { _ in false }
        request.settings?.waitsForOrigin = true
        let player = Task { [fixture, film, request] in
            while true {
                let head = ScriptedGate()
                fixture.origin.next(film, .holdHead(head))
                async let body = store.wholeBody(request)
                try await fixture.time.sleep(for: .seconds(2))
                head.open()
                _ = try await body
                try await fixture.time.sleep(for: .milliseconds(50))
            }
        }
        await fixture.origin.wait { $0.contains { $0.url == film } }
        gate.open()
        var holding = 0
        _ = await pass(.milliseconds(50)) {
            holding = max(holding, store.engine.traffic.holdingCount)
            return store.statistics.runningFills == 0
        }
        #expect(holding == 0)
        #expect(store.statistics.runningFills == 0)
        #expect(try await download.value.isComplete)
        player.cancel()
        _ = await player.result
        await store.close()
    }

    @Test func continuesTransfersWithPausedReader() async throws {
        let store = try await open()
        let session = try await store.read(ReadRequest(url: film))
        let gate = ScriptedGate()
        let step = session.poll(maximum: 1000) { gate.open() }
        if case .wait = step { await store.settled { _ in gate.isOpen } }
        let info = try await store.fill(ReadRequest(url: fixture.url, transferClass: .download))
        #expect(info.isComplete)
        session.cancel()
        await store.close()
    }

    @Test func pausesTransfersForRequestsOfApp() async throws {
        let store = try await open()
        let (download, gate) = await download(from: store, to: 500_000)
        let received = await store.foreground {
            await store.foreground { gate.open() }
            await store.settled { $0.engine.traffic.holdingCount == 1 }
            return bytesOfDownload()
        }
        #expect(received <= 600_000)
        #expect(try await download.value.isComplete)
        await store.close()
    }

    @Test func continuesDownloadThatIsPlayed() async throws {
        let store = try await open()
        let (download, gate) = await download(from: store, to: 500_000)
        let played = try await store.foreground {
            gate.open()
            await store.settled { $0.engine.traffic.holdingCount == 1 }
            return try await store.bytes(fixture.url)
        }
        #expect(played == Self.body.bytes)
        _ = await pass { store.statistics.runningFills == 0 }
        #expect(try await download.value.isComplete)
        #expect(bytesOfDownload() == Self.body.length)
        await store.close()
    }

    @Test func removesCancelledPausedTransfer() async throws {
        let store = try await open()
        let (download, gate) = await download(from: store, to: 500_000)
        await store.foreground {
            gate.open()
            await store.settled { $0.engine.traffic.holdingCount == 1 }
            download.cancel()
            _ = try? await download.value
            #expect(store.engine.traffic.holdingCount == 0)
            #expect(store.engine.scheduler.isIdle)
        }
        await store.close()
    }

    @Test func appliesDownloadLimitAndItsChanges() async throws {
        let store = try await open { $0.bandwidth.classes[.download] = 1_000_000 }
        fixture.origin.always(fixture.url, .bufferSize(50_000))
        let download = Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        let half = await pass { bytesOfDownload() >= 1_000_000 }
        // Some buffers are received ahead of the limit.
        #expect(half >= .milliseconds(700))
        #expect(try await store.bytes(film) == Self.body.bytes)
        // The rest would take about 16 minutes at this rate.
        store.updateBandwidth { $0.classes[.download] = 1000 }
        _ = await pass(.seconds(1)) { fixture.time.monotonic > half + .seconds(20) }
        #expect(bytesOfDownload() < Self.body.length)
        store.updateBandwidth { $0 = BandwidthLimits() }
        _ = await pass { store.statistics.runningFills == 0 }
        #expect(try await download.value.isComplete)
        await store.close()
    }

    @Test func measuresThroughputUntilNetworkChanges() async throws {
        let store = try await open { $0.bandwidth.total = 1_000_000 }
        #expect(store.throughput == nil)
        fixture.origin.always(fixture.url, .bufferSize(50_000))
        let download = Task { try await store.fill(ReadRequest(url: fixture.url, transferClass: .download)) }
        _ = await pass { bytesOfDownload() >= 1_900_000 }
        let rate = try #require(store.throughput?.bytesPerSecond)
        #expect(rate > 0 && rate < 1_300_000)
        // All bytes are from one origin.
        #expect(store.throughputByOrigin == [fixture.url.origin: try #require(store.throughput)])
        store.networkChanged()
        #expect(store.throughput == nil && store.throughputByOrigin.isEmpty)
        download.cancel()
        _ = try? await download.value
        await store.close()
    }

    /// The clock may never advance again, in which case the task of a closed store would sleep forever.
    @Test func resumptionTaskDoesNotRetainTraffic() async throws {
        let time = ManualTime()
        let scheduler = TransferScheduler()
        let ticket = scheduler.ticket(host: "http://origin.example", transferClass: .download)
        weak var dropped: Traffic?
        do {
            let traffic = Traffic(limits: BandwidthLimits(), isGoverned: false, time: time)
            dropped = traffic
            traffic.shortageBegan(at: ticket.host)
            let turn = Task { [weak traffic] in try await traffic?.turn(of: ticket) }
            await time.waitForSleepers()
            turn.cancel()
            _ = try? await turn.value
        }
        #expect(dropped == nil)
    }
}
