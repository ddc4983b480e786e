import Testing

@testable import MediaContainers

/// Tests of the information frame at the start of MP3 files, which contains no audio.
struct MPEGAudioInformationTests {
    /// Returns a stereo frame of 417 bytes (128 kbit/s at 44,100 Hz).
    private func frame(_ content: [UInt8] = [], at place: Int = 36) -> [UInt8] {
        var frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
        frame.replaceSubrange(place..<place + content.count, with: content)
        return frame
    }

    /// An information header with all fields, followed by LAME's tag with a delay of 576 and a padding of 1,000.
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

    @Test func skipsInformationFrame() throws {
        let audio = (0..<5).flatMap { _ in frame() }
        let bare = try demuxed(audio)
        #expect(bare.samples[0].count == 5)
        #expect(bare.tracks.first?.priming == 0)
        let tagged = try demuxed(frame(xing) + audio)
        #expect(tagged.samples[0].map(\.pts) == bare.samples[0].map(\.pts))
        #expect(tagged.tracks.first?.priming == 1105)
        let short = try demuxed(frame(Array("Info".utf8) + [0, 0, 0, 0]) + audio)
        #expect(short.samples[0].count == 5)
        #expect(short.tracks.first?.priming == 0)
        #expect(try demuxed(frame(Array("VBRI".utf8)) + audio).samples[0].count == 5)
    }

    /// An information frame in the middle belongs to another file that was appended to this one.
    @Test func treatsLaterInformationFramesAsAudio() throws {
        #expect(try demuxed(frame() + frame(xing) + frame() + frame()).samples[0].count == 4)
    }

    /// Fields beyond the end of the frame aren't read.
    @Test func ignoresTruncatedTag() {
        let cut = frame(Array("Xing".utf8) + [0, 0, 0, 15], at: 36).prefix(60)
        let information = Array(cut).withUnsafeBytes { MPEGAudioInformation($0) }
        #expect(information?.priming == 0)
    }
}
