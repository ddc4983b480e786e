import Foundation
import TestSupport

/// The benchmark of the time to the first byte of a missing range of 1 KB through the cache, against the origin itself
/// and a caching nginx. Each read has a different offset, far from the others, in a reproducible order.
struct MissLatency: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let through = try await server.play(origin.url(Fixtures.big))
        let nginx = try await NginxPeer(caching: origin)
        var random = SeededGenerator(seed: 2)
        let spacing = 5 << 20
        let offsets = (1..<(1 << 30) / spacing).map { $0 * spacing }.shuffled(using: &random)
        let peers: [(name: String, url: URL, goal: Goal?)] = [
            ("the origin itself", origin.url(Fixtures.big), .added(atMost: 1.5)),
            ("nginx, slice 1m", nginx.url(Fixtures.big), nil),
        ]
        report.begin("First byte of a missing 1 KB, ms (a ratio above 1: ours is slower)")
        for (index, (name, url, goal)) in peers.enumerated() where goal != nil || !options.measuresOnlyGoals {
            let peerOffsets = offsets.indices.filter { $0 % peers.count == index }.map { offsets[$0] }
            let measured = try await onThread {
                let (ours, theirs) = (try HTTPConnection(to: through), try HTTPConnection(to: url))
                // Opens the resource and the connections.
                _ = try Self.firstByte(ours, through, at: 0)
                _ = try Self.firstByte(theirs, url, at: 0)
                return try peerOffsets.enumerated().map { round, offset in
                    if round.isMultiple(of: 2) {
                        let first = try Self.firstByte(ours, through, at: offset)
                        return (first, try Self.firstByte(theirs, url, at: offset))
                    }
                    let first = try Self.firstByte(theirs, url, at: offset)
                    return (try Self.firstByte(ours, through, at: offset), first)
                }
            }
            var comparison = Comparison("first byte of a cold 1 KB", peer: name, unit: "ms")
            comparison.ours = measured.map(\.0)
            comparison.theirs = measured.map(\.1)
            try report.add(comparison)
            if let goal { try report.add(goal, of: comparison) }
            let added = measured.map { $0.0 - $0.1 }
            report.say(
                "\nAdded over \(name): median \(String(format: "%.2f", added.median)) ms, \(added.count) reads\n")
        }
        try await server.stop()
        try await nginx.stop()
    }

    private static func firstByte(_ connection: HTTPConnection, _ url: URL, at offset: Int) throws -> Double {
        let start = ContinuousClock.now
        let head = try connection.request(url, range: offset..<offset + 1000)
        let first = try connection.body(limit: 1)
        let delay = ContinuousClock.now - start
        guard head.status == 206, first.count == 1, try connection.body().count == 999 else {
            throw HarnessError("\(url): status \(head.status)")
        }
        return delay.milliseconds
    }
}
