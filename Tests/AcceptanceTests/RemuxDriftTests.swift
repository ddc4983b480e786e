import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of a recording with a wrap of the timestamp counter, a discontinuity and a gap.
    @Suite(.enabled(if: try Peer.isInstalled("ffmpeg")))
    struct RemuxDriftTests {
        /// Across a wrap of the 33-bit counter, a discontinuity and a gap, audio and video stay synchronized within a
        /// millisecond, and no sample is lost.
        @Test func audioStaysSynchronizedWithVideo() async throws {
            let minutes = TestSettings.isSoak ? 120 : 4
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("recording")
            // The discontinuity is in the middle of the recording. The counter wraps at 95,443.7 s, in the middle of
            // the first half.
            let half = minutes * 30
            let first = try await Self.stream("a", in: folder, seconds: half, begin: 95_443 - half / 2)
            let second = try await Self.stream("b", in: folder, seconds: half, begin: 500)
            let gap = second.count / 3..<second.count / 3 + 2
            var lines = ["#EXTM3U", "#EXT-X-VERSION:8", "#EXT-X-TARGETDURATION:12"]
            for segment in first { lines += [segment.duration, segment.name] }
            lines.append("#EXT-X-DISCONTINUITY")
            for (index, segment) in second.enumerated() {
                if gap.contains(index) { lines.append("#EXT-X-GAP") }
                lines += [segment.duration, segment.name]
            }
            lines.append("#EXT-X-ENDLIST")
            try lines.joined(separator: "\n").write(
                toFile: folder.file("all.m3u8"), atomically: true, encoding: .utf8)
            let parts = [first[...], second[..<gap.lowerBound], second[gap.upperBound...]]

            try await MediaCacheBinary.output(["remux", folder.file("all.m3u8"), "-o", folder.file("all.mp4"), "-q"])
            let made = try await Self.times(folder.file("all.mp4"))
            var positions = made.mapValues { _ in 0 }
            for part in parts {
                let source = folder.file("part.ts")
                try Self.join(part.map { folder.file($0.name) }, into: source)
                let times = try await Self.times(source)
                var shifts: [String: ClosedRange<Double>] = [:]
                for (track, sourceTimes) in times {
                    let all = try #require(made[track])
                    let start = positions[track, default: 0]
                    try #require(all.count >= start + sourceTimes.count)
                    let differences = zip(all[start...], sourceTimes).map { $0 - $1 }
                    positions[track] = start + sourceTimes.count
                    shifts[track] = (differences.min() ?? 0)...(differences.max() ?? 0)
                }
                let lowest = shifts.values.map(\.lowerBound).min() ?? 0
                let highest = shifts.values.map(\.upperBound).max() ?? 1
                #expect(highest - lowest < 0.001, "\(shifts)")
            }
            for (track, times) in made { #expect(positions[track] == times.count) }
        }

        private static func stream(
            _ name: String, in folder: TemporaryFolder, seconds: Int, begin: Int
        ) async throws -> [(duration: String, name: String)] {
            try await Peer.run(
                "ffmpeg",
                ["-v", "error", "-stream_loop", "\(seconds / 6)", "-i", "\(StreamFixtures.folder)/clip.mp4", "-t"]
                    + ["\(seconds)", "-c", "copy", "-output_ts_offset", "\(begin)", "-f", "hls", "-hls_time", "10"]
                    + ["-hls_list_size", "0", "-hls_segment_filename", folder.file("\(name)%d.ts")]
                    + [folder.file("\(name).m3u8")])
            let lines = try String(contentsOfFile: folder.file("\(name).m3u8"), encoding: .utf8)
                .split(separator: "\n").map(String.init)
            return zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("#EXTINF") }
        }

        private static func join(_ paths: [String], into path: String) throws {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            for path in paths { try file.write(contentsOf: FileManager.default.contents(atPath: path) ?? Data()) }
            try file.close()
        }

        /// Returns the presentation times of each track's samples, sorted.
        private static func times(_ path: String) async throws -> [String: [Double]] {
            let text = try await MediaCacheBinary.output(["inspect", "--packets", path])
            return text.split(separator: "\n").dropFirst().reduce(into: [:]) { times, line in
                let fields = line.split(separator: ",")
                times[String(fields[0]), default: []].append(Double(fields[1]) ?? .nan)
            }
        }
    }
}
