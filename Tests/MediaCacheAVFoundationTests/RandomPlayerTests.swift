import MediaCache
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCacheAVFoundation

/// Tests of simulated players that randomly seek, repeat and cancel requests and encounter stalls.
@Suite(.timeLimit(.minutes(30)))
struct RandomPlayerTests {
    private static let buffer = 8 << 10

    @Test func randomPlayersReceiveCorrectBytes() async throws {
        let seed: UInt64 = 20_261_123
        print("seed \(seed)")
        let fixture = PlayerFixture()
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 64 << 10, maximum: 256 << 10) }
        for number in 0..<1000 {
            var random = SeededGenerator(seed: seed + UInt64(number))
            let body = ScriptedBody.random(
                seed: seed + UInt64(number), length: Int64.random(in: 2...400_000, using: &random))
            let url = try fixture.serve(body, at: "\(number).mp4") { $0.bufferSize = Self.buffer }
            let player = ScriptedPlayer(
                of: body, at: url, origin: fixture.origin, store: store,
                policy: Int.random(in: 0..<4, using: &random) == 0 ? .whole : .onDemand)
            try await play(player, &random)
            player.check()
            #expect(player.requests.allSatisfy { $0.error == nil }, "player \(number)")
            checkSent(fixture.origin.requests(for: url), number)
            #expect(player.loader.requests == 0, "player \(number)")
        }
        try await store.sessionsEnded()
        await store.close()
    }

    /// Checks that no byte is sent twice, except for up to two buffers at the end of an aborted response.
    private func checkSent(_ requests: [ScriptedRequest], _ number: Int) {
        var sent: [Range<Int64>] = []
        for request in requests where request.bodyBytes > 0 {
            let start = request.range?.knownStart ?? 0
            var range = start..<start + request.bodyBytes
            if request.progress != .complete {
                range = start..<max(start, range.upperBound - Int64(2 * Self.buffer))
            }
            #expect(!sent.contains { $0.overlaps(range) }, "player \(number): \(range) of \(requests)")
            if !range.isEmpty { sent.append(range) }
        }
    }

    private func play(_ player: ScriptedPlayer, _ random: inout SeededGenerator) async throws {
        let first = await player.open()
        #expect(first.information?.length == player.body.length)
        for _ in 0..<Int.random(in: 3...12, using: &random) {
            let offset = Int64.random(in: 0..<player.body.length, using: &random)
            let length = Bool.random(using: &random) ? nil : Int64.random(in: 1...200_000, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                // The player seeks: it cancels all requests, and waits for the first bytes at the new position.
                player.cancelAll()
                let request = player.request(offset, length)
                await player.eventually { request.isOver || request.count > 0 }
            case 1:
                // Requests for audio and video at the same time.
                let (one, other) = (player.request(offset, length), player.request(offset / 2, length))
                await player.eventually { one.isOver && other.isOver }
                #expect(one.isFinished && other.isFinished)
            case 2:
                // The player cancels a request during or before its response, and repeats it.
                let request = player.request(offset, length)
                if Bool.random(using: &random) { await player.eventually { request.isOver || request.count > 0 } }
                player.cancel(request)
                player.request(offset, length)
            case 3:
                await stall(player, at: offset, length, isPatient: Bool.random(using: &random))
            default:
                // A request for the index at the end of the file.
                let tail = player.request(max(0, player.body.length - 20_000))
                await player.eventually { tail.isOver }
                #expect(tail.isFinished)
            }
        }
        player.cancelAll()
        let all = player.request(0)
        await player.eventually { all.isOver }
        #expect(all.isFinished && all.count == Int(player.body.length))
    }

    private func stall(_ player: ScriptedPlayer, at offset: Int64, _ length: Int64?, isPatient: Bool) async {
        let gate = ScriptedGate()
        player.origin.next(player.url, .holdBody(at: offset, gate))
        let request = player.request(offset, length)
        let changes = player.changes
        let arrival = Task {
            await gate.waitForArrivals()
            changes.send()
        }
        await player.eventually { request.isOver || gate.arrivals > 0 }
        arrival.cancel()
        if !isPatient {
            player.cancel(request)
            // The first two bytes have been cached since `open`, so this request doesn't wait for the stalled one.
            let other = player.request(0, 2)
            await player.eventually { other.isOver }
            #expect(other.isFinished)
        }
        gate.open()
        player.origin.clearFaults(player.url)
        await player.eventually { request.isOver }
        if isPatient { #expect(request.isFinished) }
    }
}
