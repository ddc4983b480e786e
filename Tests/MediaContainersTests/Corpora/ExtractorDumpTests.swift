import MediaContainers
import TestSupport
import Testing

/// Tests that compare the format of every track, and the time, size, sync flag and hash of every sample, with the dumps
/// of Media3's extractors.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct ExtractorDumpTests {
    /// A dump file and the path of its sample file.
    struct Dump: Sendable, CustomTestStringConvertible {
        var path: String
        var sample: String
        /// Whether the dump begins at the start of the sample file. Other dumps begin at a seek position, and contain
        /// the samples from there.
        var isWhole: Bool
        var testDescription: String { path }
    }

    private static let root = "androidx-media"
    private static let codecs: [String: Codec] = [
        "video/avc": .avc, "audio/mp4a-latm": .aac, "audio/ac3": .ac3, "audio/mpeg-L2": .mp2, "application/id3": .id3,
    ]

    /// Returns all dumps. The sample's path is empty if its file doesn't exist.
    static func dumps() throws -> [Dump] {
        let samples = try Corpora.files("\(root)/media").filter { !$0.hasSuffix(".m3u8") }
        return try Corpora.files("\(root)/extractordumps").map { path in
            let sample = samples.filter { path.hasPrefix($0) }.max { $0.count < $1.count }
            return Dump(
                path: "\(root)/extractordumps/\(path)", sample: sample.map { "\(root)/media/\($0)" } ?? "",
                isWhole: path.wholeMatch(of: #/.*\.[1-9]\.dump/#) == nil)
        }
    }

    @Test func findsSampleForEveryDump() throws {
        #expect(try Self.dumps().count >= 34)
        #expect(try Self.dumps().filter { $0.sample.isEmpty }.map(\.path) == [])
    }

    @Test(arguments: try dumps()) func matchesSamplesOfMedia3(dump: Dump) throws {
        let expected = ExtractorDump(try Corpora.text(dump.path))
        let actual = try ExtractedSample(dump.sample)
        #expect(expected.tracks.count >= actual.tracks.count)
        for (index, their) in expected.tracks.enumerated() {
            guard actual.tracks.indices.contains(index) else {
                // Media3 declares a track of ID3 tags even if there are no tags.
                #expect(their.mimeType == "application/id3" && their.samples.isEmpty)
                continue
            }
            try compare(actual.tracks[index], their)
            var mine = actual.samples[index]
            if dump.isWhole {
                #expect(mine.count == their.samples.count)
            } else {
                #expect(mine.count >= their.samples.count)
                mine = mine.suffix(their.samples.count)
            }
            for (number, (sample, theirSample)) in zip(mine, their.samples).enumerated() {
                var sample = sample
                if abs(sample.time - theirSample.time) <= actual.tolerance { sample.time = theirSample.time }
                // Only Media3 has the other flags, for example for the last sample.
                var theirSample = theirSample
                theirSample.flags &= 1
                guard sample != theirSample else { continue }
                Issue.record("track \(index) sample \(number): \(sample) instead of \(theirSample)")
                break
            }
        }
    }

    private func compare(_ track: MediaTrack, _ their: ExtractorDump.Track) throws {
        let format = try #require(track.format)
        #expect(format.codec == Self.codecs[their.mimeType])
        if let codecs = their.codecs { #expect(format.codecString == codecs) }
        if let width = their.values["width"] { #expect(format.width == width) }
        if let height = their.values["height"] { #expect(format.height == height) }
        if let rate = their.values["sampleRate"] { #expect(format.sampleRate == rate) }
        if let channels = their.values["channelCount"] { #expect(format.channels == channels) }
        // For video, the initialization data is a list of separate parameter sets.
        if format.codec == .aac { #expect([ExtractorDump.hash(format.configuration)] == their.initialization) }
    }
}
