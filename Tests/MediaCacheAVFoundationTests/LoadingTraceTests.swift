import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheAVFoundation

struct LoadingTraceTests {
    private static let body = ScriptedBody.random(seed: 712, length: 4_000_000)

    /// Advances the clock to each of the loader's first two checks for late requests. The loader must have received its
    /// first request at the current time.
    private func passChecks(_ time: ManualTime) async {
        for _ in 0..<2 {
            await time.waitForSleeper(until: time.monotonic + ResourceLoader.patience.look)
            time.advance(by: ResourceLoader.patience.look)
        }
    }

    @Test func tracesEachRequest() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        _ = try await store.fill(ReadRequest(url: player.url, range: .closed(0, through: 99_999)))
        _ = await player.open()
        fixture.time.advance(by: .seconds(2))
        let part = player.request(50_000, 100_000)
        await player.eventually { part.isOver }
        let gate = ScriptedGate()
        fixture.origin.always(player.url, .holdBody(at: 2_010_000, gate))
        // The range begins beyond the read-ahead of the previous request, whose fill continues without a reader.
        let cut = player.request(2_000_000)
        await player.eventually { cut.count == 10_000 }
        player.cancel(cut)
        gate.open()
        fixture.origin.always(player.url, .status(404))
        let failed = player.request(3_900_000)
        await player.eventually { failed.isOver }

        let trace = player.loader.trace
        #expect(trace.dropped == 0 && trace.entries.count == 4)
        let (first, second, third, fourth) = (trace.entries[0], trace.entries[1], trace.entries[2], trace.entries[3])
        #expect(first.wantsContentInformation && first.offset == 0 && first.length == 2 && first.ending == .finished)
        #expect(first.bytes == 2 && first.bytesFromCache == 2 && first.began == 0)
        #expect(second.began == 2 && second.firstBytes == 2 && second.ended == 2 && second.ending == .finished)
        #expect(second.bytes == 100_000 && second.bytesFromCache == 50_000)
        #expect(third.length == nil && third.ending == .cancelled && third.bytes == 10_000 && third.bytesFromCache == 0)
        #expect(fourth.ending == .failed && fourth.error?.contains("404") == true && fourth.firstBytes == nil)
        await store.close()
    }

    @Test func tracesLastThousandRequests() {
        var trace = LoadingTrace()
        for number in 0..<1002 {
            let request = ScriptedLoadingRequest("x", data: RequestedData(offset: Int64(number), length: 1))
            #expect(trace.begin(request, at: 0) == number)
        }
        trace.end(0, .finished, at: 1)
        trace.end(1001, .cancelled, at: 1)
        #expect(trace.dropped == 2 && trace.entries.count == 1000)
        #expect(trace.entries.first?.offset == 2 && trace.entries.first?.ending == nil)
        #expect(trace.entries.last?.offset == 1001 && trace.entries.last?.ending == .cancelled)
    }

    @Test func reportsUnansweredRequestForCachedBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        _ = try await store.complete(ReadRequest(url: player.url))
        var events = player.loader.events().makeAsyncIterator()
        let request = SlowLoadingRequest(
            CachingScheme.url(for: player.url), RequestedData(offset: 1000, length: 500_000))
        #expect(player.loader.load(request))
        await request.firstBytes()
        guard case .opened = await events.next() else {
            Issue.record("expected an opened event")
            return
        }
        await passChecks(fixture.time)
        guard case .delayed(1000, let time) = await events.next() else {
            Issue.record("expected a delayed event")
            return
        }
        #expect(time >= ResourceLoader.patience.longest)
        request.proceed()
        await store.close()
    }

    @Test func reportsRequestThatWaitsForRevalidation() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store) { $0.cacheControl = "no-cache" }
        _ = try await store.complete(ReadRequest(url: player.url))
        fixture.time.advance(by: .seconds(60))
        var events = player.loader.events().makeAsyncIterator()
        let gate = ScriptedGate()
        fixture.origin.always(player.url, .holdHead(gate))
        let request = player.request(1000, 500_000)
        await gate.waitForArrivals()
        await passChecks(fixture.time)
        guard case .delayed(1000, _) = await events.next() else {
            Issue.record("expected a delayed event")
            return
        }
        gate.open()
        await player.eventually { request.isOver }
        #expect(request.isFinished)
        await store.close()
    }

    @Test func doesNotReportRequestForMissingBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        let gate = ScriptedGate()
        fixture.origin.always(player.url, .holdBody(at: 100_000, gate))
        let request = player.request(0)
        await player.eventually { request.count == 100_000 }
        var events = player.loader.events().makeAsyncIterator()
        // The total is shorter than the stall limit of 15 s.
        await passChecks(fixture.time)
        player.cancel(request)
        gate.open()
        fixture.origin.always(player.url, .status(404))
        let failed = player.request(3_500_000)
        await player.eventually { failed.isOver }
        guard case .failed = await events.next() else {
            Issue.record("expected a failed event")
            return
        }
        await store.close()
    }
}
