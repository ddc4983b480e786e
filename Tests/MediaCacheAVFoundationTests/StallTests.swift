import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheAVFoundation

/// Tests that a request always ends, and doesn't wait for bytes that it doesn't need. Otherwise AVPlayer would stall.
struct StallTests {
    private static let body = ScriptedBody.random(seed: 711, length: 3_000_000)

    private func withPlayer(
        _ change: (inout CacheConfiguration) -> Void = { _ in },
        _ body: (ScriptedPlayer, PlayerFixture, CacheStore) async throws -> Void
    ) async throws {
        let (fixture, store) = try await PlayerFixture.open(change)
        try await body(try fixture.player(of: Self.body, in: store), fixture, store)
        await store.close()
    }

    /// The origin stalls in one of two tracks that are far apart in the file, so the audio stops while the video
    /// continues, or the reverse.
    @Test(arguments: [(Int64(100_000), Int64(2_000_000)), (2_000_000, 100_000)])
    func trackDoesNotWaitForStalledTrack(stalled: Int64, other: Int64) async throws {
        try await withPlayer({ $0.transfers.readAhead = ReadAhead(initial: 64 << 10, maximum: 64 << 10) }) {
            player, fixture, _ in
            _ = await player.open()
            let gate = ScriptedGate()
            fixture.origin.next(player.url, .holdBody(at: stalled + 10_000, gate))
            let held = player.request(stalled, 500_000)
            await gate.waitForArrivals()
            for piece in 0..<5 {
                let request = player.request(other + Int64(piece) * 100_000, 100_000)
                await player.eventually { request.isOver }
                #expect(request.isFinished)
            }
            #expect(!held.isOver && held.count == 10_000)
            gate.open()
            await player.eventually { held.isOver }
            #expect(held.isFinished)
            player.check()
        }
    }

    /// A player would load forever if a request that ends at or beyond the end of a cached resource didn't end.
    @Test func finishesRequestsAtEndOfCachedResource() async throws {
        try await withPlayer { player, fixture, _ in
            let all = player.request(0)
            await player.eventually { all.isOver }
            fixture.origin.isReachable = false
            for (offset, length) in [(0, nil), (2_999_999, nil), (2_999_999, 1), (2_900_000, 500_000), (0, .max)]
                as [(Int64, Int64?)]
            {
                let request = player.request(offset, length)
                await player.eventually { request.isOver }
                #expect(request.isFinished, "\(offset), \(length ?? -1)")
            }
            // Requests beyond the end may finish or fail, but mustn't hang.
            for (offset, length) in [(3_000_000, nil), (3_000_000, 2), (4_000_000, 100)] as [(Int64, Int64?)] {
                let request = player.request(offset, length)
                await player.eventually { request.isOver }
                #expect(request.count == 0)
            }
            #expect(player.loader.requests == 0)
        }
    }

    /// Each time the origin resets the connection, the player's request fails, and the player requests the rest. It
    /// would load forever if the new request received no bytes.
    @Test func repeatedRequestsAfterFailuresReceiveAllBytes() async throws {
        try await withPlayer { player, fixture, _ in
            _ = await player.open()
            var (bytes, offset) = ([UInt8](), Int64(0))
            for number in 0..<20 where offset < Self.body.length {
                if number < 5 { fixture.origin.next(player.url, .reset(after: offset + 300_000)) }
                let request = player.request(offset)
                await player.eventually { request.isOver }
                #expect(request.isFinished == (offset + Int64(request.count) == Self.body.length))
                bytes += request.bytes
                offset += Int64(request.count)
            }
            #expect(bytes == Self.body.bytes)
            player.check()
            #expect(player.sent == Self.body.length)
        }
    }

    /// The player cancels and repeats its first request several times before the response head arrives. Without a
    /// response to the last request, the player would never become ready for display.
    @Test func respondsToRepeatedFirstRequests() async throws {
        try await withPlayer { player, fixture, _ in
            let gate = ScriptedGate()
            fixture.origin.always(player.url, .holdHead(gate))
            for _ in 0..<4 {
                let request = player.request(0, 2, wantsContentInformation: true)
                await gate.waitForArrivals()
                player.cancel(request)
            }
            let (one, other) = (
                player.request(0, 2, wantsContentInformation: true), player.request(0, wantsContentInformation: true)
            )
            gate.open()
            await player.eventually { one.isOver && other.isOver }
            for request in [one, other] {
                #expect(request.isFinished)
                #expect(request.information?.mediaType == "video/mp4" && request.information?.length == 3_000_000)
            }
            player.check()
        }
    }

    @Test func unreadRequestDoesNotDelayOtherRequests() async throws {
        try await withPlayer { player, _, store in
            _ = await player.open()
            let slow = SlowLoadingRequest(
                CachingScheme.url(for: player.url), RequestedData(offset: 0, length: 3_000_000))
            #expect(player.loader.load(slow))
            await slow.firstBytes()
            let other = player.request(1_000_000, 1_000_000)
            await player.eventually { other.isOver }
            #expect(other.isFinished)
            player.loader.cancel(slow)
            slow.proceed()
            player.check()
        }
    }

    @Test func continuesRequestsAfterSuspension() async throws {
        try await withPlayer { player, fixture, store in
            let gate = ScriptedGate()
            fixture.origin.next(player.url, .holdBody(at: 1_000_000, gate))
            let request = player.request(0, wantsContentInformation: true)
            // The second request would otherwise sometimes reach the origin first and receive the held body.
            await gate.waitForArrivals()
            let tail = player.request(2_900_000)
            await player.eventually { request.count == 1_000_000 && tail.isOver }
            await store.suspend()
            gate.open()
            // The player makes another request while the store is suspended.
            let late = player.request(1_500_000, 1000)
            #expect(!request.isOver)
            try await store.resume()
            await player.eventually { request.isOver && late.isOver }
            #expect(request.isFinished && late.isFinished)
            #expect(request.bytes == Self.body.bytes)
            player.check()
        }
    }

    @Test func failsIfVersionChangedDuringSuspension() async throws {
        try await withPlayer { player, fixture, store in
            let gate = ScriptedGate()
            fixture.origin.next(player.url, .holdBody(at: 1_000_000, gate))
            let request = player.request(0)
            await gate.waitForArrivals()
            await player.eventually { request.count == 1_000_000 }
            await store.suspend()
            gate.open()
            fixture.origin[player.url] = ScriptedResource(.random(seed: 9, length: 3_000_000), entityTag: "\"2\"")
            try await store.resume()
            _ = try await store.removeAll()
            await player.eventually { request.isOver }
            #expect(request.error != nil)
            #expect(Self.body.matches(request.bytes))
        }
    }

    @Test func closingStoreFailsWaitingRequests() async throws {
        try await withPlayer { player, fixture, store in
            let gate = ScriptedGate()
            fixture.origin.next(player.url, .holdBody(at: 1_000_000, gate))
            let request = player.request(0)
            await gate.waitForArrivals()
            await store.suspend()
            gate.open()
            await store.close()
            await player.eventually { request.isOver }
            #expect(request.error?.code == .closed)
        }
    }
}
