import Foundation
import PacketOracles
import TestSupport
import Testing

extension CommandAcceptanceTests {
    /// Tests of `inspect --packets` with public samples. The results are compared with ffprobe's.
    @Suite(.enabled(if: try Prerequisite.hasCorpora()))
    struct InspectPacketsTests {
        /// A line of the command's output.
        private struct Line {
            var track: Int
            /// The presentation time in microseconds.
            var pts: Double
            var dts: Double
            var duration: Double
            var size: Int
            var isSync: Bool
            var checksum: UInt32

            init(_ text: Substring) throws {
                let fields = text.split(separator: ",", omittingEmptySubsequences: false)
                let times = fields.dropFirst().prefix(3).compactMap { Self.microseconds($0) }
                guard fields.count == 7, times.count == 3, let track = Int(fields[0]), let size = Int(fields[4]),
                    ["0", "1"].contains(fields[5]), fields[6].count == 8, let checksum = UInt32(fields[6], radix: 16)
                else { throw HarnessError("invalid line: \(text)") }
                self.track = track
                (pts, dts, duration) = (times[0], times[1], times[2])
                self.size = size
                isSync = fields[5] == "1"
                self.checksum = checksum
            }

            /// Converts a number of seconds with six decimals to microseconds.
            private static func microseconds(_ text: Substring) -> Double? {
                guard let point = text.firstIndex(of: "."), text[point...].count == 7 else { return nil }
                return Double(text.filter { $0 != "." })
            }
        }

        private static func samples() throws -> [String] {
            let files = try FileManager.default.subpathsOfDirectory(
                atPath: "\(StreamCorpus.root)/\(PacketOracle.folder)")
            let samples = files.filter { $0.hasSuffix(".csv") }.map { String($0.dropLast(4)) }.sorted()
            return try Prerequisite.cases(samples, of: PacketOracle.folder)
        }

        /// Compares the times, size, sync flag and checksum of each packet, except for the differences in
        /// `OracleDifference`.
        @Test(arguments: try samples()) func packetsMatchFFprobe(path: String) async throws {
            let csv = try String(
                contentsOfFile: "\(StreamCorpus.root)/\(PacketOracle.folder)/\(path).csv", encoding: .utf8)
            let oracle = PacketOracle(csv, of: path)
            let result = try await MediaCacheBinary.run(["inspect", "--packets", "\(StreamCorpus.root)/\(path)"])
            #expect(result.ending == .exit(oracle.isCutOff ? 1 : 0), "\(result.errorText)")
            let lines = result.text.split(separator: "\n")
            #expect(lines.first == "track,pts,dts,duration,size,sync,crc32")
            let tracks = Dictionary(grouping: try lines.dropFirst().map { try Line($0) }, by: \.track)
            for (number, stream) in oracle.streams {
                let ours = tracks[number] ?? []
                let expected = stream.packets.count
                #expect(stream.isTruncated ? ours.count >= expected : ours.count == expected, "stream \(number)")
                for (index, (mine, packet)) in zip(ours, stream.packets).enumerated() {
                    let differences = Self.differences(mine, packet, stream)
                    guard !differences.isEmpty else { continue }
                    Issue.record("stream \(number) packet \(index): \(differences.joined(separator: ", "))")
                    break
                }
            }
        }

        @Test func testsEverySampleWithOracle() throws {
            #expect(try Self.samples().count >= 182)
        }

        private static func differences(_ mine: Line, _ packet: OraclePacket, _ stream: OracleStream) -> [String] {
            // ffprobe rounds to six decimals.
            let tolerance = 0.5001
            func isNear(_ microseconds: Double, _ ticks: Int64?) -> Bool {
                ticks.map { abs(stream.microseconds($0) - microseconds) <= tolerance } ?? false
            }
            var found: [String] = []
            if !isNear(mine.pts, packet.pts) { found.append("pts \(mine.pts)") }
            if !isNear(mine.dts, packet.dts) { found.append("dts \(mine.dts)") }
            if packet.content.size(of: mine.size) != packet.size { found.append("size \(mine.size)") }
            if mine.isSync != packet.isSync { found.append("sync \(mine.isSync)") }
            // The library's tests compare checksums of partial content.
            if packet.content == .whole, mine.checksum != packet.checksum { found.append("checksum") }
            return found
        }
    }
}
