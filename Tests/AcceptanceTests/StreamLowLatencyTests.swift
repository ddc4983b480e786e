import Foundation
import Testing

extension LiveAcceptanceTests {
    /// Tests of low-latency HLS: blocking reloads, parts, hints and delta updates.
    @Suite(.enabled(if: try Peer.isInstalled("ffmpeg")))
    struct StreamLowLatencyTests {
        private static let readers = 6

        /// Low-latency clients receive every part, and the origin receives fewer than half of their requests. Meanwhile
        /// ffmpeg, which doesn't support parts, plays the segments.
        @Test(arguments: LowLatencyOrigin.Parts.allCases)
        func clientsShareRequestsAtLiveEdge(kind: LowLatencyOrigin.Parts) async throws {
            let media = try await LowLatencyMedia(seconds: 12)
            let stream = LowLatencyOrigin(kind, media: media)
            let origin = try stream.serve()
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(LowLatencyOrigin.playlist))
            async let playback = StreamPlayer.ffmpeg.play(url, isLive: true)
            let readings = try await withThrowingTaskGroup(of: LowLatencyReader.Reading.self) { group in
                for _ in 0..<Self.readers {
                    group.addTask { try await onThread { try LowLatencyReader(url: url).read() } }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for reading in readings { try expectAllParts(of: stream, in: reading) }
            let shown = try await playback.sums()
            #expect(!shown.isEmpty)
            #expect(shown == media.pictures.suffix(shown.count))
            expectRequestsOfOneClient(origin.entries(), kind, readings)
            try await server.stop()
        }

        /// Checks the bytes of all parts from the first received one to the end of the stream.
        private func expectAllParts(of stream: LowLatencyOrigin, in reading: LowLatencyReader.Reading) throws {
            let positions = reading.parts.keys.sorted()
            let numbers = positions.map { $0.segment * LowLatencyOrigin.segmentParts + $0.part }
            let first = try #require(numbers.first)
            #expect(numbers == Array(first..<stream.parts.count))
            #expect(numbers.count > 10)
            for (position, number) in zip(positions, numbers) {
                let isRight = reading.parts[position] == stream.parts[number]
                #expect(isRight, "part \(number)")
            }
            #expect(reading.deltaUpdates > 0)
            if stream.kind == .files { #expect(reading.hints > 0) }
        }

        private func expectRequestsOfOneClient(
            _ entries: [ScriptedOrigin.Entry], _ kind: LowLatencyOrigin.Parts, _ readings: [LowLatencyReader.Reading]
        ) {
            var reloads = 0
            for (path, requests) in Dictionary(grouping: entries, by: \.path) {
                if path.contains("_HLS_msn") {
                    reloads += requests.count
                    // The server may request a resource again after a response, but not while a request for it is
                    // pending.
                    let inOrder = requests.sorted { $0.received < $1.received }
                    for (one, next) in zip(inOrder, inOrder.dropFirst()) {
                        #expect(next.received >= one.responded, "\(path) was requested twice concurrently")
                    }
                } else if path.contains("/part") {
                    #expect(requests.count == 1, "\(path)")
                }
            }
            let clientReloads = readings.reduce(0) { $0 + $1.reloads }
            let parts = entries.count { $0.path.contains("/part") || $0.fields["range"]?.hasSuffix("=0-") == false }
            print(
                "low latency, parts as \(kind.rawValue): \(clientReloads) reloads and",
                "\(readings.reduce(0) { $0 + $1.parts.count }) parts by \(readings.count) readers cost the origin",
                "\(reloads) reloads and \(parts) requests for parts;",
                "at most \(readings.map(\.deltaUpdates).max() ?? 0) delta updates",
                "and \(readings.map(\.hints).max() ?? 0) hints per reader")
            #expect(reloads * 2 < clientReloads)
            #expect(parts * 2 < readings.reduce(0) { $0 + $1.parts.count })
        }
    }
}
