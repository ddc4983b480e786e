import Foundation
import TestSupport
import Testing

extension LiveAcceptanceTests {
    /// Tests of kill -9 at random times during a recording.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg")))
    struct LiveKillTests {
        private struct Timeline: Decodable {
            struct Segment: Decodable, Hashable {
                var track: String
                var number: Int
                var start: Int64
                var duration: Double
                var gap: Bool
                var bytes: Int
            }

            var segments: [Segment]
        }

        private struct Usage: Decodable {
            var pinnedBytes: Int64
        }

        /// After each kill, the timeline contains all earlier segments and is contiguous. At the end, all segments
        /// equal the encoder's, and the size of the recording is right.
        @Test func killLosesNoRecordedSegment() async throws {
            let rounds = TestSettings.isSoak ? 50 : 12
            let encoder = try await ChannelEncoder(seconds: rounds * 5 + 60, segmentSeconds: 1)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let cache = try TemporaryFolder("cache")
            var random = SeededGenerator.forTest("kill -9 of a recorder")
            var known: [Timeline.Segment: Bool] = [:]
            for round in 1...rounds {
                let server = try await RunningServer(cache: cache.path)
                let channel = try await RecordedChannel("one", of: origin.url(ChannelEncoder.entry), on: server)
                try check(try timeline(channel), against: &known, channel, round)
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...2500, using: &random)))
                for segment in try timeline(channel) { known[segment] = true }
                server.kill()
                try await server.process.end(within: .seconds(10))
            }
            let server = try await RunningServer(cache: cache.path)
            let channel = try await RecordedChannel("one", of: origin.url(ChannelEncoder.entry), on: server)
            try await Task.sleep(for: .seconds(3))
            try channel.change("stopped")
            let all = try timeline(channel)
            try check(all, against: &known, channel, rounds + 1)
            var bytes = 0
            for segment in all where !segment.gap {
                let (status, body) = try channel.get("\(segment.track)/\(segment.number).ts")
                let file = try Data(contentsOf: URL(filePath: encoder.file(segment.track, segment.number)))
                #expect(status == 200 && body == file, "\(segment)")
                bytes += body.count
            }
            let status = try channel.status()
            let gaps = Dictionary(grouping: all.filter(\.gap), by: \.track).values.map { lost in
                let numbers = Set(lost.map(\.number))
                return numbers.count { !numbers.contains($0 - 1) }
            }
            #expect(Int(status.bytes) == bytes && status.gaps == gaps.max() ?? 0)
            let usage = try JSONDecoder().decode(Usage.self, from: try await server.api("/api/v1/usage"))
            #expect(usage.pinnedBytes == status.bytes, "the pinned bytes of the folder differ from the timeline's")
            let log = try await origin.log()
            let twice = Dictionary(grouping: log.entries.filter { $0.path.hasSuffix(".ts") && !$0.isCut }, by: \.path)
                .filter { $0.value.count > 1 }
            print(
                "kill -9 of a recorder: \(rounds) kills, \(all.count) segments, \(status.gaps) gaps,",
                "\(twice.count) segments were fetched again completely")
            // At most the segments in flight at the kills are fetched twice.
            #expect(twice.count <= rounds * ChannelEncoder.tracks.count * 2)
            try await server.stop()
        }

        private func timeline(_ channel: RecordedChannel) throws -> [Timeline.Segment] {
            let (status, body) = try channel.server.call(
                "GET", "/api/v1/channels/\(channel.name)/timeline", key: channel.key)
            guard status == 200 else { throw HarnessError(String(decoding: body, as: UTF8.self)) }
            return try JSONDecoder().decode(Timeline.self, from: body).segments
        }

        private func check(
            _ segments: [Timeline.Segment], against known: inout [Timeline.Segment: Bool], _ channel: RecordedChannel,
            _ round: Int
        ) throws {
            let lost = Set(known.keys).subtracting(segments)
            #expect(lost.isEmpty, "round \(round): \(lost.sorted { $0.number < $1.number }.prefix(3)) are missing")
            for (track, rows) in Dictionary(grouping: segments, by: \.track) {
                let numbers = rows.map(\.number)
                #expect(numbers == Array((numbers.first ?? 0)..<(numbers.first ?? 0) + numbers.count), "\(track)")
                for (row, next) in zip(rows, rows.dropFirst()) {
                    let end = row.start + Int64((row.duration * 1000).rounded())
                    #expect(abs(next.start - end) <= 200, "\(track): \(next.number) isn't at the end of \(row.number)")
                }
            }
        }
    }
}
