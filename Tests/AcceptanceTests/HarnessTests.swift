import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of the test harness itself, with an origin and no cache.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "mpv", "curl")))
    struct HarnessTests {
        @Test func originLogCountsSentBytes() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let url = origin.url(Fixtures.medium)
            let connection = try HTTPConnection(to: url)
            for range in [0..<1000, 500..<2500, 99_999_000..<100_000_000] {
                let head = try connection.request(url, range: range)
                #expect(head.status == 206)
                #expect(try connection.firstDifference(from: file, at: range.lowerBound) == nil)
            }
            let log = try await origin.log()
            #expect(log.bodyBytes == 4000)
            #expect(log.repeatedBytes == 500)
            #expect(log.entries.map(\.sent) == [0..<1000, 500..<2500, 99_999_000..<100_000_000])
        }

        @Test func findsDifferences() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let connection = try HTTPConnection(to: origin.url(""))
            _ = try connection.request(origin.url(Fixtures.medium), range: 4096..<8192)
            #expect(try connection.firstDifference(from: file, at: 4095) == 4095)
        }

        @Test func shortBodyFailsReader() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let connection = try HTTPConnection(to: origin.url(""))
            _ = try connection.request(origin.url(Fixtures.medium), range: 0..<1_000_000)
            let reader = Reader(connection: connection)
            await #expect(throws: HarnessError.self) {
                _ = try await reader.readUntilStopped(file, outlivesServer: true)
            }
        }

        @Test func scriptedOriginSendsNoBodyForHead() throws {
            let origin = try ScriptedOrigin { _ in .init(body: Data("four".utf8)) }
            let connection = try HTTPConnection(to: origin.url(""))
            let head = try connection.request(origin.url("film.mp4"), method: "HEAD")
            #expect(head.status == 200 && head.contentLength == 4)
            let again = try connection.request(origin.url("film.mp4"))
            #expect(again.status == 200)
            #expect(try connection.body() == Data("four".utf8))
            #expect(origin.entries().map(\.bodyBytes) == [0, 4])
        }

        /// A player's result doesn't depend on the speed of the origin.
        @Test(arguments: Player.allCases)
        func playersAreReproducible(player: Player) async throws {
            try await Fixtures.shared.clips()
            let quick = try await NginxOrigin(serving: Fixtures.folder)
            let slow = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 6 << 20)
            let record = try await player.record(of: quick.url(Fixtures.moovLast))
            #expect(record.count > 20)
            #expect(try await player.record(of: slow.url(Fixtures.moovLast)) == record)
        }
    }
}
