import MediaContainers
import TestSupport
import Testing

/// Compares with the dumps of Media3's extractors: codec, count, time, length, sync flag and hash of every sample.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct ExtractorDumpTests {
    /// A dump file, and the sample that it is of.
    struct Dump: Sendable, CustomTestStringConvertible {
        var path: String
        var sample: String
        /// Whether it begins at the start of the sample. The others begin where Media3 found itself after a seek: what
        /// they hold is the end of what is read from the start.
        var isWhole: Bool
        var testDescription: String { path }
    }

    private static let root = "androidx-media"
    private static let codecs: [String: Codec] = [
        "video/avc": .avc, "audio/mp4a-latm": .aac, "audio/ac3": .ac3, "audio/mpeg-L2": .mp2, "application/id3": .id3,
    ]

    /// All that are there, each with its sample.
    static func dumps() throws -> [Dump] {
        let samples = try Corpora.files("\(root)/media").filter { !$0.hasSuffix(".m3u8") }
        return try Corpora.files("\(root)/extractordumps").map { path in
            let sample = samples.filter { path.hasPrefix($0) }.max { $0.count < $1.count }
            return Dump(
                path: "\(root)/extractordumps/\(path)", sample: sample.map { "\(root)/media/\($0)" } ?? "",
                isWhole: path.wholeMatch(of: #/.*\.[1-9]\.dump/#) == nil)
        }
    }

    @Test func everyDumpHasItsSample() throws {
        #expect(try Self.dumps().count >= 34)
        #expect(try Self.dumps().filter { $0.sample.isEmpty }.map(\.path) == [])
    }

    @Test(arguments: try dumps()) func samplesAreThoseOfMedia3(dump: Dump) throws {
        let expected = ExtractorDump(try Corpora.text(dump.path))
        let actual = try ExtractedSample(dump.sample)
        #expect(expected.tracks.count >= actual.tracks.count)
        for (index, their) in expected.tracks.enumerated() {
            guard actual.tracks.indices.contains(index) else {
                // It announces a track of tags where there may be some.
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
            for (number, (one, other)) in zip(mine, their.samples).enumerated() {
                var one = one
                if abs(one.time - other.time) <= actual.tolerance { one.time = other.time }
                // Whether something depends on a sample is Media3's own finding.
                var other = other
                other.flags &= 1
                guard one != other else { continue }
                Issue.record("track \(index) sample \(number): \(one) instead of \(other)")
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
        // Of pictures they are the parameter sets, each by itself.
        if format.codec == .aac { #expect([ExtractorDump.hash(format.configuration)] == their.initialization) }
    }
}
