import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of the server's memory use and shutdown, and of the command without root.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "curl")))
    struct ServingTests {
        /// The server uses less than 100 MB while it caches a file of 1 GiB for one reader and then serves 64 readers.
        @Test func memoryStaysLimitedWith64Readers() async throws {
            let file = try await Fixtures.shared.random(Fixtures.big)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.big))
            try await Peer.run("curl", ["-sS", "--fail", "-o", "/dev/null", "\(url)"], within: .seconds(120))
            let afterFill = server.peakResidentBytes
            let share = TestSettings.isSoak ? file.count : 32 << 20
            let results = try await withThrowingTaskGroup(of: Int?.self) { group in
                for reader in 0..<64 {
                    group.addTask {
                        try await onThread {
                            let start = TestSettings.isSoak ? 0 : reader * (file.count / 64)
                            let connection = try HTTPConnection(to: url)
                            _ = try connection.request(url, range: start..<file.count)
                            return try connection.firstDifference(from: file, at: start, limit: share)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.count == 64)
            #expect(results.allSatisfy { $0 == nil })
            let log = try await origin.log()
            #expect(log.bodyBytes == Int64(file.count))
            if let peak = server.peakResidentBytes, let afterFill {
                print(
                    "64 readers of 1 GiB: peak \(peak / 1_000_000) MB resident (\(afterFill / 1_000_000) after the fill)"
                )
                #expect(peak < 100_000_000)
            }
            try await server.stop()
        }

        /// A server that shuts down finishes its responses. The received bytes are cached after a restart.
        @Test func shutdownFinishesResponsesAndRetainsSpans() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 20 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let source = origin.url(Fixtures.medium)
            let url = try await server.play(source)
            let range = 10_000_000..<40_000_000
            let connection = try HTTPConnection(to: url)
            _ = try connection.request(url, range: range)
            #expect(try connection.firstDifference(from: file, at: range.lowerBound, limit: 2_000_000) == nil)
            server.process.signal(SIGTERM)
            try await Task.sleep(for: .milliseconds(300))
            #expect(server.process.ending == nil, "the server ended during a response")
            #expect(try connection.firstDifference(from: file, at: range.lowerBound + 2_000_000) == nil)
            let ending = try await server.process.end(within: .seconds(20))
            #expect(ending == .exit(0))

            let cached = try await ListedResource.all(in: folder.path)[source.absoluteString]?.cached ?? RangeSet()
            #expect(RangeSet(range).isSubset(of: cached), "\(cached.ranges)")
            let before = try await origin.log()
            let next = try await RunningServer(cache: folder.path)
            let again = try await next.play(source)
            let second = try HTTPConnection(to: again)
            _ = try second.request(again, range: range)
            #expect(try second.firstDifference(from: file, at: range.lowerBound) == nil)
            try await next.stop()
            #expect(try await origin.log().since(before).bodyBytes == 0)
        }

        @Test(.enabled(if: try Peer.canActAsUnprivilegedUser()))
        func runsWithoutRoot() async throws {
            let folder = try TemporaryFolder("nobody")
            let binary = folder.file("mediacache")
            try FileManager.default.copyItem(atPath: MediaCacheBinary.path, toPath: binary)
            chmod(folder.path, 0o777)
            let arguments = [binary, "list", "--cache", folder.file("cache")]
            #expect(try await Peer.asUnprivilegedUser(arguments).contains("The library is empty"))
        }

        /// The server shuts down in limited time even if a player neither reads nor closes its connection.
        @Test func shutsDownDespiteUnreadResponse() async throws {
            _ = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            let stalled = try HTTPConnection(to: url, receiveBuffer: 16 << 10)
            _ = try stalled.request(url)
            try await server.stop(within: .seconds(60))
            withExtendedLifetime(stalled) {}
        }
    }
}
