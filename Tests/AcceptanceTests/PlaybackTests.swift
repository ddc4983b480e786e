import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of players on the server, and of the requests that the origin receives.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "mpv", "curl")))
    struct PlaybackTests {
        /// A second complete playback fetches no byte.
        @Test(arguments: [Fixtures.moovFirst, Fixtures.moovLast], Player.allCases)
        func playersReceiveOriginMedia(clip: String, player: Player) async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let expected = try await player.record(of: origin.url(clip))
            let direct = try await origin.log()

            let url = try await server.play(origin.url(clip))
            #expect(try await player.record(of: url) == expected)
            let first = try await origin.log()
            let sent = first.since(direct)
            #expect(sent.bodyBytes > 0)
            #expect(sent.repeatedBytes <= sent.bytesInFlight, "\(sent.summary)")

            #expect(try await player.record(of: url) == expected)
            // A player that stops early may read further ahead from the cache than before, and so cause requests.
            if player.playsAll {
                let second = try await origin.log().since(first)
                #expect(second.bodyBytes == 0, "\(second.summary)")
            }
            try await server.stop()
        }

        /// The origin sends the requested ranges and the read-ahead, which grows with sequential reads. No received
        /// byte is sent twice.
        @Test func originSendsOnlyRequestedRangesAndReadAhead() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            var random = SeededGenerator.forTest("mix of reads")
            var allowed = RangeSet<Int>()
            var read = RangeSet<Int>()
            let ranges = (0..<30).map { _ in
                let length = [1, 1000, 70_000, 1 << 20, 3 << 20].randomElement(using: &random) ?? 1
                let start = Int.random(in: 0...(file.count - length), using: &random)
                return start..<start + length
            }
            for range in ranges {
                let connection = try HTTPConnection(to: url)
                let head = try connection.request(url, range: range)
                #expect(head.status == 206)
                #expect(head.contentLength == range.count)
                #expect(try connection.firstDifference(from: file, at: range.lowerBound) == nil)
                let readAhead = range.count <= 1 << 20 ? 1 << 20 : 8 << 20
                allowed.insert(contentsOf: range.lowerBound..<min(file.count, range.upperBound + readAhead))
                read.insert(contentsOf: range)
            }
            let log = try await origin.log()
            var sent = RangeSet<Int>()
            for range in log.entries.compactMap(\.sent) {
                sent.insert(contentsOf: Int(range.lowerBound)..<Int(range.upperBound))
            }
            print("mix of reads: read \(read.total), allowed \(allowed.total), origin sent \(log.bodyBytes) bytes")
            #expect(read.isSubset(of: sent))
            #expect(sent.isSubset(of: allowed), "beyond the read-ahead: \(sent.subtracting(allowed).ranges)")
            #expect(log.bodyBytes <= Int64(allowed.total), "\(log.summary)")
            try await server.stop()
        }
    }
}

extension RangeSet<Int> {
    var total: Int { ranges.reduce(0) { $0 + $1.count } }
}
