import Foundation
import Synchronization
import TestSupport
import Testing

extension LiveAcceptanceTests {
    /// Tests of live playlists that change with every request, and of segments that reuse names.
    @Suite struct StreamLiveTests {
        @Test func eachPollReturnsCurrentPlaylist() async throws {
            let origin = try LivePlaylist.origin(answeringAfter: .milliseconds(20))
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(LivePlaylist.path))
            let numbers = try await onThread {
                let connection = try HTTPConnection(to: url)
                return try (0..<20).map { _ in try LivePlaylist.number(at: url, over: connection) }
            }
            #expect(numbers == Array(0..<20))
            #expect(origin.entries(LivePlaylist.path).count == 20)
            try await server.stop()
        }

        /// Clients that poll at different times share requests to the origin. A response is at most one round trip
        /// older than each request that it serves.
        @Test func responsesAreAtMostOneRoundTripOld() async throws {
            let roundTrip = Duration.milliseconds(100)
            let origin = try LivePlaylist.origin(answeringAfter: roundTrip)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(LivePlaylist.path))
            var random = SeededGenerator.forTest("polls")
            let pauses = (0..<12).map { _ in (0..<8).map { _ in Double.random(in: 0...0.2, using: &random) } }
            let answers = try await withThrowingTaskGroup(of: [LivePlaylist.Response].self) { group in
                for pauses in pauses {
                    group.addTask {
                        try await onThread {
                            let connection = try HTTPConnection(to: url)
                            return try pauses.map { pause in
                                Thread.sleep(forTimeInterval: pause)
                                let start = ContinuousClock.now
                                let number = try LivePlaylist.number(at: url, over: connection)
                                return LivePlaylist.Response(number: number, requested: start, arrived: .now)
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let requests = Dictionary(uniqueKeysWithValues: origin.entries(LivePlaylist.path).map { ($0.number, $0) })
            let ages = answers.compactMap { answer in requests[answer.number].map { answer.requested - $0.received } }
            #expect(ages.count == answers.count)
            // A busy machine may deliver a response to the server some time after the origin has sent it.
            let tolerance = Duration.seconds(1)
            let delays = answers.compactMap { answer in
                requests[answer.number].map { answer.requested - $0.responded }
            }
            #expect((delays.max() ?? .zero) <= tolerance, "a response is more than one round trip old")
            let oldest = ages.max() ?? .zero
            print(
                "\(answers.count) polls by 12 clients: \(requests.count) requests, the oldest response is",
                "\(oldest.milliseconds) ms older than its request; one round trip takes \(roundTrip.milliseconds) ms")
            for (number, same) in Dictionary(grouping: answers, by: \.number) {
                let first = try #require(same.map(\.arrived).min())
                #expect(same.allSatisfy { $0.requested <= first }, "response \(number) was reused")
            }
            #expect(requests.count < answers.count)
            try await server.stop()
        }

        /// 50 clients that poll simultaneously cause as many requests as one client.
        @Test func concurrentPollsShareRequests() async throws {
            let (clients, rounds) = (50, 3)
            let polls = Polls()
            // Responds when all clients have begun their polls of a round, after a time that suffices even on a loaded
            // machine for the requests to reach the server.
            let origin = try LivePlaylist.origin(answeringAfter: .seconds(2)) { round in
                polls.wait(for: clients * (round + 1))
            }
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(LivePlaylist.path))
            let numbers = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<clients {
                    group.addTask {
                        try await onThread {
                            let connection = try HTTPConnection(to: url)
                            return try (0..<rounds).map { _ in
                                polls.begin()
                                return try LivePlaylist.number(at: url, over: connection)
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.count == clients)
            #expect(numbers.allSatisfy { $0 == Array(0..<rounds) })
            #expect(origin.entries(LivePlaylist.path).count == rounds)
            try await server.stop()
        }

        /// The encoder uses its segment names in turn, as in a ring buffer.
        @Test(arguments: [true, false])
        func servesNewSegmentsWithReusedNames(hasValidators: Bool) async throws {
            let encoder = RestartingEncoder(names: 4, hasValidators: hasValidators)
            try await expectEachWindow(of: encoder, [.init(run: 0, first: 1000), .init(run: 0, first: 1004)])
        }

        /// A restarted encoder reuses names for other segments, with higher or lower media sequence numbers.
        @Test(arguments: [true, false])
        func servesNewSegmentsOfRestartedEncoder(hasValidators: Bool) async throws {
            let encoder = RestartingEncoder(names: 4, hasValidators: hasValidators)
            try await expectEachWindow(
                of: encoder, [.init(run: 0, first: 1000), .init(run: 1, first: 5000), .init(run: 2, first: 0)])
        }

        /// An encoder that restarts at 0 reuses both names and numbers for other segments.
        @Test(arguments: [true, false])
        func servesNewSegmentsOfEncoderRestartedAtZero(hasValidators: Bool) async throws {
            let encoder = RestartingEncoder(names: 1 << 20, hasValidators: hasValidators)
            try await expectEachWindow(
                of: encoder, [.init(run: 0, first: 0), .init(run: 0, first: 4), .init(run: 1, first: 0)])
        }

        @Test(arguments: [true, false])
        func prefetchedSegmentsAreSentOnce(hasValidators: Bool) async throws {
            let encoder = RestartingEncoder(names: 1 << 20, hasValidators: hasValidators)
            let windows = (0..<20).map { RestartingEncoder.Window(run: 0, first: $0 * 4) }
            try await expectEachWindow(of: encoder, windows, segmentsAhead: 2)
        }

        /// Checks that a cached segment isn't served for another segment of the same name, with and without validators,
        /// and that the origin sends each segment once.
        private func expectEachWindow(
            of encoder: RestartingEncoder,
            _ windows: [RestartingEncoder.Window],
            segmentsAhead: Int = 0
        ) async throws {
            let origin = try ScriptedOrigin { encoder.answer($0) }
            let folder = try TemporaryFolder("cache")
            let command = ["serve", "--min-free", "0", "--segments-ahead", "\(segmentsAhead)"]
            let server = try await RunningServer(cache: folder.path, command: command)
            let playlist = try await server.play(origin.url(RestartingEncoder.playlist))
            for window in windows {
                encoder.show(window)
                let before = origin.entries(".ts").count
                for _ in 0..<2 {
                    let text = String(decoding: try HTTPConnection.body(of: playlist), as: UTF8.self)
                    #expect(text.contains("#EXT-X-MEDIA-SEQUENCE:\(window.first)\n"))
                    for number in window.numbers {
                        let name = encoder.name(of: number)
                        let url = playlist.deletingLastPathComponent().appending(path: name)
                        let isRight =
                            try HTTPConnection.body(of: url) == RestartingEncoder.segment(number, of: window.run)
                        #expect(isRight, "\(name) of \(window)")
                    }
                }
                let sent = origin.entries(".ts").dropFirst(before).reduce(0) { $0 + $1.bodyBytes }
                let expected = window.numbers.count * RestartingEncoder.segmentBytes
                #expect(sent == expected, "\(window)")
            }
            try await server.stop()
        }
    }
}

/// The number of polls that clients have begun.
private final class Polls: Sendable {
    private let count = Mutex(0)

    func begin() { count.withLock { $0 += 1 } }

    /// Waits at most 30 s until `number` polls have begun.
    func wait(for number: Int) {
        let deadline = Date() + 30
        while count.withLock({ $0 }) < number, Date() < deadline { Thread.sleep(forTimeInterval: 0.01) }
    }
}
