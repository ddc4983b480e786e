import MediaContainers
import TestSupport
import Testing

/// Tests that compare samples, parameter sets and codec strings with the output of mp4ff's tools.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct GoldenSampleTests {
    private static let folder = "eyevinn-mp4ff"

    private func reader(_ path: String) throws -> MP4Reader<MemorySource> {
        try MP4Reader(MemorySource(Corpora.bytes("\(Self.folder)/\(path)")))
    }

    /// Reads lines such as `Sample 2, pts=1536 (352B): NonIDR_1 [P] (348B)`.
    private func golden(_ path: String) throws -> [(pts: Int64, size: Int)] {
        try Corpora.text("\(Self.folder)/cmd/mp4ff-nallister/testdata/\(path)").split(separator: "\n").compactMap {
            let words = $0.split(whereSeparator: { " =(".contains($0) })
            guard words.count > 4, words[0] == "Sample", let pts = Int64(words[3]),
                let size = Int(words[4].prefix { $0.isNumber })
            else { return nil }
            return (pts, size)
        }
    }

    @Test(arguments: [
        ("cmd/mp4ff-nallister/testdata/h264.mp4", "golden_h264_mp4.txt"),
        ("cmd/mp4ff-nallister/testdata/hevc.mp4", "golden_hevc_mp4.txt"),
        ("mp4/testdata/vvc_400kbps_2s.mp4", "golden_vvc_2s.txt"),
    ]) func matchesGoldenSamples(file: String, list: String) throws {
        let expected = try golden(list)
        #expect(!expected.isEmpty)
        var samples = try reader(file).samples()
        var ours: [(pts: Int64, size: Int)] = []
        while let sample = try samples.next(), ours.count < expected.count { ours.append((sample.pts, sample.size)) }
        #expect(ours.map(\.size) == expected.map(\.size))
        // The tool ignores the edit list.
        let shift = (ours.first?.pts ?? 0) - (expected.first?.pts ?? 0)
        #expect(ours.map(\.pts) == expected.map { $0.pts + shift })
        if list.contains("vvc") { #expect(shift == 0) }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func matchesGoldenParameterSets() throws {
        let lists = "\(Self.folder)/cmd/mp4ff-pslister/testdata"
        let avc = try #require(reader("mp4/testdata/prog_8s.mp4").tracks.first { $0.kind == .video }?.format)
        let avcText = try Corpora.text("\(lists)/golden_h264mp4.txt")
        let avcRecord = try AVCConfiguration(record: avc.configuration)
        for set in avcRecord.sequenceParameterSets + avcRecord.pictureParameterSets {
            #expect(avcText.contains("len \(set.count)B: \(hexadecimal(set))"))
        }
        #expect(avcText.contains(avc.codecString))
        #expect(avcRecord.record == avc.configuration)

        let hevc = try #require(reader("mp4/testdata/ed_hevc.mp4").tracks.first?.format)
        let hevcText = try Corpora.text("\(lists)/golden_hevc_mp4.txt")
        let hevcRecord = try HEVCConfiguration(record: hevc.configuration)
        for set in hevcRecord.arrays.filter({ $0.nalUnitType < 35 }).flatMap(\.units) {
            #expect(hevcText.contains("len \(set.count)B: \(hexadecimal(set))"))
        }
        #expect(hevcText.contains(hevc.codecString.dropFirst(4)))
        #expect(try hevcRecord.record() == hevc.configuration)
    }

    @Test func matchesGoldenSamplesOfTwoTracks() throws {
        let text = try Corpora.text("\(Self.folder)/examples/multitrack/testdata/golden_samples.txt")
        var expected: [[Int64]] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0] == "Track" {
                expected.append([])
            } else if let time = Int64(words[1]), !expected.isEmpty {
                expected[expected.count - 1].append(time)
            }
        }
        var samples = try reader("examples/multitrack/testdata/main_1.mp4").samples()
        var ours: [[Int64]] = [[], []]
        while let sample = try samples.next() { ours[sample.track].append(sample.dts) }
        #expect(ours == expected)
    }
}
