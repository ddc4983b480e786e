import Foundation
import Testing

extension AcceptanceTests {
    /// Readers of the same bytes share one fetch.
    @Suite(.enabled(if: Peer.present("nginx")))
    struct SharingTests {
        /// 64 readers of one cold file of 100 MB: the origin sends it once.
        @Test func sixtyFourReadersShareOneFetch() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 50 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            let readers = try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await onThread {
                            let connection = try HTTPConnection(to: url)
                            let head = try connection.request(url)
                            return (head.contentLength, try connection.firstDifference(from: file, at: 0))
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(readers.count == 64)
            #expect(readers.allSatisfy { $0.0 == file.count && $0.1 == nil })
            let log = try await origin.log()
            #expect(log.bodyBytes == Int64(file.count), "\(log.summary)")
            #expect(log.repeatedBytes == 0, "\(log.summary)")
            try await server.stop()
        }

        /// A reader that comes 1 s into a fill gets its first byte within 50 ms (here: ten times that; the figure is
        /// printed).
        @Test func joiningReaderStartsAtOnce() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 20 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            async let first = onThread {
                let connection = try HTTPConnection(to: url)
                _ = try connection.request(url)
                return try connection.firstDifference(from: file, at: 0)
            }
            try await Task.sleep(for: .seconds(1))
            let delay = try await onThread {
                let connection = try HTTPConnection(to: url)
                let start = ContinuousClock.now
                _ = try connection.request(url)
                guard try connection.body(limit: 1).count == 1 else { throw HarnessError("no first byte") }
                return ContinuousClock.now - start
            }
            print("a reader joining 1 s into a fill: first byte after \(delay.milliseconds) ms")
            #expect(delay < .milliseconds(50) * 10)
            #expect(try await first == nil)
            #expect(try await origin.log().repeatedBytes == 0)
            try await server.stop()
        }
    }
}
