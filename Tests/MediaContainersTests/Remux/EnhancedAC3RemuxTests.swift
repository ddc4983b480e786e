import FormatProperties
import MediaContainers
import TestSupport
import Testing

/// Tests of Enhanced AC-3 frames with fewer than the six audio blocks of an MP4 sample.
struct EnhancedAC3RemuxTests {
    private static let pid = 0x101

    /// Returns a stereo frame of 50 words at 48 kHz.
    private static func frame(blocks: Int, isDependent: Bool = false, fill: UInt8) -> [UInt8] {
        let code: UInt8 = [1: 0, 2: 1, 3: 2, 6: 3][blocks] ?? 3
        return [0x0B, 0x77, isDependent ? 0x40 : 0, 49, code << 4 | 0x04, 16 << 3, 0, 0]
            + [UInt8](repeating: fill, count: 92)
    }

    /// Returns a transport stream with one frame, and its dependent substream if requested, per PES packet.
    private static func stream(
        from start: Int64 = 90_000, frames: Int, blocks: Int, withDependent: Bool = false
    ) -> [UInt8] {
        var builder = TransportStreamBuilder()
        builder.tables([TransportStreamBuilder.Stream(pid: pid, type: 0x87)])
        for index in 0..<frames {
            let fill = UInt8(index + 1)
            var bytes = frame(blocks: blocks, fill: fill)
            if withDependent { bytes += frame(blocks: blocks, isDependent: true, fill: fill) }
            builder.pes(pid: pid, pts: start + Int64(index * blocks) * 480, bytes)
        }
        return builder.bytes
    }

    @Test(arguments: [1, 2, 3, 6]) func groupsSixBlocksPerSample(blocks: Int) throws {
        let frames = 4 * 6 / blocks
        let recording = try SampleRecording(remuxing: Self.stream(frames: frames, blocks: blocks))
        #expect(recording.tracks.map(\.format?.codec) == [.eac3])
        #expect(recording.tracks.map(\.timescale) == [48_000])
        let samples = recording.samples[0]
        #expect(samples.map(\.size) == [Int](repeating: 100 * 6 / blocks, count: 4))
        #expect(samples.map(\.duration) == [1536, 1536, 1536, 1536])
        #expect(zip(samples.dropFirst(), samples).allSatisfy { $0.dts - $1.dts == 1536 && $0.pts == $0.dts })
        #expect(recording.bytes == frames * 100)
    }

    /// A dependent substream belongs to the preceding frame and has the same number of blocks.
    @Test func groupsDependentSubstreamsWithFrames() throws {
        let recording = try SampleRecording(remuxing: Self.stream(frames: 8, blocks: 3, withDependent: true))
        #expect(recording.samples[0].map(\.size) == [400, 400, 400, 400])
        #expect(recording.samples[0].map(\.duration) == [1536, 1536, 1536, 1536])
    }

    /// Frames aren't combined across a gap, and none is lost.
    @Test func endsSampleAtGap() throws {
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(MemorySource(Self.stream(frames: 5, blocks: 2)))
        try remuxer.append(MemorySource(Self.stream(from: 990_000, frames: 4, blocks: 2)), join: .gap)
        let recording = try remuxer.finish()
        #expect(recording.samples[0].map(\.size) == [300, 200, 300, 100])
        #expect(recording.samples[0].map(\.duration) == [1536, 1024, 1536, 512])
        let start = recording.samples[0][0].dts
        #expect(recording.samples[0].map { $0.dts - start } == [0, 1536, 480_000, 481_536])
    }

    /// At these bit rates, ffmpeg encodes frames of six, three, two and one blocks. The file must decode like the
    /// stream.
    @Test(
        .enabled(if: try Prerequisite.isMet("ffmpeg", FFmpeg.path != nil)),
        arguments: [(640, 6), (1500, 3), (3000, 2), (6000, 1)])
    func decodesFileLikeStream(kilobits: Int, blocks: Int) throws {
        let audio = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=1.01", "-ac", "2"]
        let stream = try FFmpeg.run(audio + ["-c:a", "eac3", "-b:a", "\(kilobits)k", "-f", "mpegts"])
        let file = MemoryFile()
        var remuxer = Remuxer(into: MovieFileWriter(file))
        try remuxer.append(MemorySource(stream))
        var writer = try remuxer.finish()
        _ = try writer.finish()
        let recording = try SampleRecording(MemorySource(file.contents))
        let source = try DemuxerRecording(stream).samples
        #expect(source.first?.sample.duration == Int64(blocks * 480))
        let whole = source.count * blocks / 6
        #expect(recording.samples[0].prefix(whole).allSatisfy { $0.duration == 1536 })
        #expect(recording.samples[0].count == whole + (source.count * blocks % 6 == 0 ? 0 : 1))
        #expect(recording.bytes == source.reduce(0) { $0 + $1.bytes.count })
        #expect(try FFmpeg.decode(file.contents) == FFmpeg.decode(stream))
    }
}
