import MediaContainers
import Testing

struct TransportStreamFrontTests {
    /// Returns a packet that begins or continues a PES packet of a video stream.
    private func packet(_ pid: Int, starts: Bool = false, isRandomAccess: Bool = false) -> [UInt8] {
        var packet: [UInt8] = [0x47, (starts ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 255), 0x30]
        packet += [1, isRandomAccess ? 0x40 : 0]
        packet += starts ? [0, 0, 1, 0xE0] : [1, 2, 3, 4]
        return packet + [UInt8](repeating: 0xFF, count: 188 - packet.count)
    }

    /// Returns tables, a keyframe of five packets interleaved with audio, and another picture.
    private func stream(isRandomAccess: Bool = true) -> [UInt8] {
        let first = packet(256, starts: true, isRandomAccess: isRandomAccess)
        let rest = (0..<4).flatMap { _ in packet(256) + packet(257) }
        return packet(0) + packet(4096) + first + rest + packet(256, starts: true) + packet(256)
    }

    private func length(_ bytes: [UInt8], isWhole: Bool = true) -> Int? {
        bytes.withUnsafeBytes { TransportStreamFront.lengthToFirstFrame($0, isWhole: isWhole) }
    }

    @Test func firstPictureEndsWhereNextBegins() throws {
        let bytes = stream()
        let length = try #require(self.length(bytes))
        #expect(length == 11 * 188)
        // The end of the picture is known only when the next packet is present or the stream ends.
        #expect(self.length(Array(bytes.prefix(length)), isWhole: false) == nil)
        #expect(self.length(Array(bytes.prefix(length)), isWhole: true) == length)
        #expect(self.length(Array(bytes.prefix(length + 188)), isWhole: false) == length)
    }

    @Test func returnsNilForDependentPicture() {
        #expect(length(stream(isRandomAccess: false)) == nil)
    }

    @Test func returnsNilForOtherFormats() {
        #expect(length([]) == nil)
        #expect(length([UInt8](repeating: 0, count: 1880)) == nil)
        #expect(length([0x47] + [UInt8](repeating: 0xFF, count: 187)) == nil)
    }
}
