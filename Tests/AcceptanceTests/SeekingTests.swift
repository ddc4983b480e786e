import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of seeks to uncached ranges.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct SeekingTests {
        /// The first byte arrives long before a sequential download would reach it. The times are printed.
        @Test func seekInUncachedFileStartsAtTarget() async throws {
            let file = try await Fixtures.shared.random(Fixtures.big)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 20 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let direct = origin.url(Fixtures.big)
            let url = try await server.play(direct)
            let range = 900_000_000..<900_001_000

            func firstByte(_ url: URL) async throws -> Duration {
                try await onThread {
                    let start = ContinuousClock.now
                    let connection = try HTTPConnection(to: url)
                    let head = try connection.request(url, range: range)
                    let first = try connection.body(limit: 1)
                    let delay = ContinuousClock.now - start
                    guard head.status == 206, first.count == 1 else { throw HarnessError("status \(head.status)") }
                    guard try connection.firstDifference(from: file, at: range.lowerBound + 1) == nil else {
                        throw HarnessError("wrong bytes at \(range.lowerBound)")
                    }
                    return delay
                }
            }
            let own = try await firstByte(direct)
            let before = try await origin.log()
            let through = try await firstByte(url)
            let sent = try await origin.log().since(before)
            print("cold 1 kB at 900 MB: origin \(own.milliseconds) ms, through the cache \(through.milliseconds) ms,")
            print("    the origin sent \(sent.bodyBytes) bytes")
            #expect(through < own + .seconds(10))
            #expect(sent.bodyBytes <= 2 << 20, "\(sent.summary)")
            #expect(sent.bodyBytes >= Int64(range.count))
            try await server.stop()
        }

        /// All bytes of 1,000 seeks during a fill are correct, whether the responses are read to their end or
        /// abandoned.
        @Test func seeksDuringFillReturnCorrectBytes() async throws {
            let file = try await Fixtures.shared.random(Fixtures.big)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 60 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.big))
            var random = SeededGenerator.forTest("seeks")
            let seeks = (0..<1000).map { _ in
                let start = Int.random(in: 0..<file.count, using: &random)
                return (
                    start..<min(file.count, start + Int.random(in: 1...200_000, using: &random)),
                    Bool.random(using: &random)
                )
            }
            // One reader starts the fill at the beginning, and closes after the seeks.
            let filling = try HTTPConnection(to: url)
            _ = try filling.request(url)
            let player = Reader(connection: filling)
            let watching = Task { try await player.readUntilStopped(file) }
            let wrong = try await withThrowingTaskGroup(of: [String].self) { group in
                for part in 0..<4 {
                    let mine = seeks.indices.filter { $0 % 4 == part }.map { seeks[$0] }
                    group.addTask { try await onThread { try Self.perform(mine, of: file, at: url) } }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            player.stop()
            #expect(wrong.isEmpty, "\(wrong)")
            #expect(try await watching.value == nil)
            let log = try await origin.log()
            print("1,000 seeks: the origin sent \(log.bodyBytes) bytes in \(log.entries.count) responses,")
            print("    \(log.repeatedBytes) of them twice; \(log.entries.count { $0.isCut }) responses were cut")
            // Bytes in the socket buffers of a closed connection are lost and sent again.
            #expect(log.repeatedBytes <= Int64(file.count) / 64)
            try await server.stop()
        }

        /// Performs the seeks in order, and describes those that returned wrong bytes.
        private static func perform(_ seeks: [(Range<Int>, Bool)], of file: MappedFile, at url: URL) throws -> [String]
        {
            var wrong: [String] = []
            var connection = try HTTPConnection(to: url)
            for (range, leaves) in seeks {
                // Players request the range from the target to the end, and close the connection when they have enough.
                let head = try connection.request(url, range: leaves ? range.lowerBound..<file.count : range)
                let difference = try connection.firstDifference(from: file, at: range.lowerBound, limit: range.count)
                if head.status != 206 || difference != nil {
                    wrong.append("\(range): \(head.status) \(difference ?? -1)")
                }
                if leaves { connection = try HTTPConnection(to: url) }
            }
            return wrong
        }
    }
}
