import MediaContainers
import Testing

struct H264ParameterSetTests {
    private func read(_ bytes: [UInt8]) throws -> H264SequenceParameterSet {
        try bytes.withUnsafeBytes { try H264SequenceParameterSet($0) }
    }

    @Test func appliesCropping() throws {
        // Written by x264: 1920 × 1080 in 68 macroblock rows, High profile, level 4.0, 25 frames per second.
        let set = try read([
            0x67, 0x64, 0x00, 0x28, 0xAC, 0xD9, 0x40, 0x78, 0x02, 0x27, 0xE5, 0xC0, 0x44, 0x00, 0x00, 0x03, 0x00, 0x04,
            0x00, 0x00, 0x03, 0x00, 0xC8, 0x3C, 0x60, 0xC6, 0x58,
        ])
        #expect(set.width == 1920 && set.height == 1080)
        #expect(set.frameRate == 25)
        #expect(set.recordTrailer == [0xFD, 0xF8, 0xF8, 0])
    }

    @Test func writesPixelAspectRatioForNonSquarePixels() throws {
        let set = try read([
            0x67, 0x64, 0x00, 0x0A, 0xAC, 0xD9, 0x49, 0x6C, 0x10, 0x40, 0x00, 0x00, 0x03, 0x00, 0x40, 0x00, 0x00, 0x0C,
            0x83, 0xC4, 0x89, 0x65, 0x80,
        ])
        #expect(set.pixelAspect == PixelAspectRatio(16, 11))
        #expect(PixelAspectRatio(720, 720) == PixelAspectRatio(1, 1))
        #expect(PixelAspectRatio(0, 1) == nil)
    }

    @Test func throwsForTruncatedParameterSet() {
        #expect(throws: ContainerError.self) { try read([0x67, 0x64, 0x00]) }
        #expect(throws: ContainerError.self) { try read([0x68, 0x64, 0x00, 0x28, 0xAC]) }
    }
}
