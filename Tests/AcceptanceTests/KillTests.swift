import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of kill -9 at random times during fills and playback.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct KillTests {
        /// After each kill the folder opens, `verify` reports no damage, no committed byte is lost, and all bytes equal
        /// the origin's.
        @Test func killLosesNoCommittedByte() async throws {
            let file = try await Fixtures.shared.random(Fixtures.big)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 25 << 20)
            let folder = try TemporaryFolder("cache")
            var random = SeededGenerator.forTest("kill -9")
            var cached: [String: RangeSet<Int>] = [:]
            let rounds = TestSettings.isSoak ? 1000 : 20
            let total = { (cached: [String: RangeSet<Int>]) in cached.values.reduce(0) { $0 + $1.total } }
            var bytes = 0
            for round in 1...rounds {
                // A new resource is used every ten rounds, so that bytes are always missing. After every two resources,
                // the folder is emptied, so that nothing is evicted.
                let take = (round - 1) / 10
                if take > 0, take.isMultiple(of: 2), (round - 1).isMultiple(of: 10) {
                    try await readBack(cached, of: file, in: folder.path)
                    bytes += total(cached)
                    cached = [:]
                    let removal = try await MediaCacheBinary.run(["remove", "--all", "--cache", folder.path])
                    #expect(removal.ending == .exit(0), "\(removal.errorText)")
                }
                let source = URL(string: "\(origin.url(Fixtures.big))?take=\(take)") ?? origin.url("")
                let starts = (0..<3).map { _ in Int.random(in: 0..<file.count, using: &random) }
                let instant = Duration.milliseconds(Int.random(in: 20...900, using: &random))

                let committed = try await fillAndKill(folder.path, source, file, from: starts, after: instant)

                let (ending, verification) = try await Verification.run(in: folder.path)
                #expect(ending == .exit(0), "round \(round)")
                #expect(verification.findings.isEmpty, "round \(round): \(verification.findings)")
                let now = try await ListedResource.all(in: folder.path).mapValues(\.cached)
                for (url, spans) in cached {
                    let lost = spans.subtracting(now[url] ?? RangeSet())
                    #expect(lost.isEmpty, "round \(round): \(url) lost \(lost.ranges)")
                }
                #expect(total(now) >= total(cached) + committed, "round \(round): committed bytes are missing")
                cached = now
            }
            try await readBack(cached, of: file, in: folder.path)
            bytes += total(cached)
            print("kill -9: \(rounds) kills, \(bytes) bytes cached")
            #expect(bytes > 0)
        }

        /// Serves `source` from `folder` to three readers, and kills the server after a delay.
        ///
        /// - Returns: The number of committed bytes that the server reported just before the kill.
        private func fillAndKill(
            _ folder: String,
            _ source: URL,
            _ file: MappedFile,
            from starts: [Int],
            after instant: Duration
        ) async throws -> Int {
            let server = try await RunningServer(cache: folder)
            let url = try await server.play(source)
            var committed = 0
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for start in starts {
                    let connection = try HTTPConnection(to: url)
                    let head = try connection.request(url, range: start..<file.count)
                    #expect(head.status == 206)
                    let reader = Reader(connection: connection)
                    group.addTask { try await reader.readUntilStopped(file, at: start, outlivesServer: true) }
                }
                try await Task.sleep(for: instant)
                committed = Int(try server.metric("mediacache_committed_bytes_total"))
                server.kill()
                for try await difference in group { #expect(difference == nil, "wrong bytes at \(difference ?? -1)") }
            }
            try await server.process.end(within: .seconds(10))
            return committed
        }

        private func readBack(_ cached: [String: RangeSet<Int>], of file: MappedFile, in folder: String) async throws {
            let server = try await RunningServer(cache: folder)
            for (source, spans) in cached {
                let url = try await server.play(URL(string: source) ?? server.base)
                let connection = try HTTPConnection(to: url)
                for span in spans.ranges {
                    _ = try connection.request(url, range: span)
                    #expect(try connection.firstDifference(from: file, at: span.lowerBound) == nil)
                }
            }
            try await server.stop()
        }
    }
}
