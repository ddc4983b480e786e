import MediaContainers
import Testing

@Suite(.enabled(if: Corpora.areExpected, "the corpora aren't here"))
struct TransportStreamExtractorDumpTests {
    private static let mimeTypes: [String: Codec] = [
        "video/avc": .avc, "audio/ac3": .ac3, "audio/mpeg-L2": .mp2,
    ]

    @Test(arguments: ["sample_h264.ts", "sample_h264_mpeg_audio.ts", "sample_ac3.ts"])
    func samplesAreThoseOfMedia3(name: String) throws {
        let dump = ExtractorDump(try Corpora.text("androidx-media/extractordumps/ts/\(name).0.dump"))
        let actual = try TransportStreamRecording("androidx-media/media/ts/\(name)")
        // Media3's times begin at the first decoding time.
        let start = actual.samples.map(\.sample.dts).min() ?? 0
        // It stamps a frame of AC-3 with the packet in which the frame ends: one frame later than ISO/IEC 13818-1,
        // 2.7.5 says, where the stamp is of the frame that begins in it.
        let delay: Int64 = name == "sample_ac3.ts" ? 32_000 : 0
        #expect(dump.tracks.count == actual.tracks.count)
        for (index, expected) in dump.tracks.enumerated() {
            let track = actual.tracks[index]
            let format = try #require(track.format)
            #expect(Int(track.id) == expected.id)
            #expect(format.codec == Self.mimeTypes[expected.mimeType])
            if let codecs = expected.codecs { #expect(format.codecString == codecs) }
            if let width = expected.values["width"] { #expect(format.width == width) }
            if let height = expected.values["height"] { #expect(format.height == height) }
            if let rate = expected.values["sampleRate"] { #expect(format.sampleRate == rate) }
            if let channels = expected.values["channelCount"] { #expect(format.channels == channels) }
            let samples = actual.samples.filter { $0.sample.track == index }.map { sample, bytes in
                ExtractorDump.Sample(
                    time: (sample.pts - start) * 1_000_000 / 90_000 + delay, flags: sample.isSync ? 1 : 0,
                    length: bytes.count, hash: ExtractorDump.hash(bytes))
            }
            #expect(samples.count == expected.samples.count)
            for (mine, their) in zip(samples, expected.samples) {
                // Media3 adds up whole microseconds from stamp to stamp; a tick of 90 kHz is 11 of them.
                #expect(abs(mine.time - their.time) <= 11)
                #expect(mine.flags == their.flags && mine.length == their.length && mine.hash == their.hash)
            }
        }
    }
}
