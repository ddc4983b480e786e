import Testing

@testable import MediaContainers

/// The first frame of MP3 files, which is no sound.
struct MPEGAudioInformationTests {
    /// A frame of 128 kbit/s at 44,100 Hz in stereo: 417 bytes.
    private func frame(_ content: [UInt8] = [], at place: Int = 36) -> [UInt8] {
        var frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
        frame.replaceSubrange(place..<place + content.count, with: content)
        return frame
    }

    /// All fields there, then LAME's tag with a delay of 576 and a padding of 1,000.
    private var xing: [UInt8] {
        Array("Xing".utf8) + [0, 0, 0, 15] + [UInt8](repeating: 7, count: 112) + Array("LAME3.100".utf8)
            + [UInt8](repeating: 0, count: 12) + [0x24, 0x03, 0xE8]
    }

    private func demuxed(_ bytes: [UInt8]) throws -> SampleRecording {
        var recording = SampleRecording()
        let demuxer = PackedAudioDemuxer()
        try bytes.withUnsafeBytes { try demuxer.push($0, into: &recording) }
        try demuxer.finish(into: &recording)
        return recording
    }

    @Test func aFrameOfInformationIsNoSample() throws {
        let sound = (0..<5).flatMap { _ in frame() }
        let bare = try demuxed(sound)
        #expect(bare.samples[0].count == 5)
        #expect(bare.tracks.first?.priming == 0)
        let told = try demuxed(frame(xing) + sound)
        #expect(told.samples[0].map(\.pts) == bare.samples[0].map(\.pts))
        #expect(told.tracks.first?.priming == 1105)
        let short = try demuxed(frame(Array("Info".utf8) + [0, 0, 0, 0]) + sound)
        #expect(short.samples[0].count == 5)
        #expect(short.tracks.first?.priming == 0)
        #expect(try demuxed(frame(Array("VBRI".utf8)) + sound).samples[0].count == 5)
    }

    /// Only the first: later ones are somebody else's file behind this one.
    @Test func laterOnesAreSound() throws {
        #expect(try demuxed(frame() + frame(xing) + frame() + frame()).samples[0].count == 4)
    }

    /// Fields that end past the frame aren't read.
    @Test func aTagThatIsCutIsPassedBy() {
        let cut = frame(Array("Xing".utf8) + [0, 0, 0, 15], at: 36).prefix(60)
        let information = Array(cut).withUnsafeBytes { MPEGAudioInformation($0) }
        #expect(information?.priming == 0)
    }
}
