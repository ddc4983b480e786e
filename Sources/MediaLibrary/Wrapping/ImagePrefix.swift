internal import MediaContainers

/// The first bytes of a segment that looks like an image. The media may begin after the image.
struct ImagePrefix {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let packet = 188
    /// The number of consecutive packets that identify a transport stream at an arbitrary position.
    private static let requiredPackets = 5

    private let bytes: [UInt8]
    private let length: Int64

    init(_ bytes: [UInt8], length: Int64) {
        self.bytes = bytes
        self.length = length
    }

    static func isRecognized(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: png) || bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: Array("GIF8".utf8))
            || bytes.starts(with: Array("BM".utf8))
            || bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WEBP".utf8))
    }

    /// The number of bytes before the media; nil if none follows.
    var lengthBeforeMedia: Int? {
        // After a complete image, media in any format is recognized. Elsewhere, only unmistakable formats are.
        if let end = ends.first(where: { isMedia(at: $0) }) { return end }
        return (1..<max(1, bytes.count)).first { hasPackets(at: $0, atLeast: Self.requiredPackets) || hasBoxes(at: $0) }
    }

    /// The number of bytes before encrypted media, recognized only by its length in whole blocks; nil if there is none.
    var lengthBeforeCiphertext: Int? {
        let end = ends.first { length > $0 && (length - Int64($0)) % Int64(SegmentCipher.blockLength) == 0 }
        // Only the 8-byte signature of an image precedes the blocks.
        return end ?? (isSignatureAlone && (length - 8) % Int64(SegmentCipher.blockLength) == 0 ? 8 : nil)
    }

    /// The positions at which the image may end according to its structure.
    private var ends: [Int] {
        if bytes.starts(with: Self.png) { return pngEnd.map { [$0] } ?? [] }
        if bytes[0] == 0xFF { return positions(after: [0xFF, 0xD9]) }
        if bytes[0] == UInt8(ascii: "G") { return positions(after: [0x00, 0x3B]) }
        let field = bytes[0] == UInt8(ascii: "B") ? 2 : 4
        guard bytes.count >= field + 4 else { return [] }
        let size = bytes[field..<field + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        let end = field == 2 ? size : 8 + size + size % 2
        return end > 16 && end < bytes.count ? [end] : []
    }

    private var isSignatureAlone: Bool {
        bytes.starts(with: Self.png) && !bytes.dropFirst(12).starts(with: Array("IHDR".utf8)) && length > 8
    }

    /// The end of the IEND chunk (PNG §5.3).
    private var pngEnd: Int? {
        var offset = Self.png.count
        while offset + 12 <= bytes.count {
            let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = bytes[offset + 4..<offset + 8]
            guard type.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else { return nil }
            offset += 12 + size
            if type.elementsEqual("IEND".utf8) { return offset <= bytes.count ? offset : nil }
        }
        return nil
    }

    private func positions(after mark: [UInt8]) -> [Int] {
        guard bytes.count > mark.count else { return [] }
        return (1..<bytes.count - mark.count).filter { bytes[$0] == mark[0] && bytes[$0 + 1] == mark[1] }
            .map { $0 + mark.count }
    }

    private func isMedia(at offset: Int) -> Bool {
        guard offset < bytes.count else { return false }
        if hasPackets(at: offset, atLeast: 2) || hasBoxes(at: offset) { return true }
        let isWhole = Int64(bytes.count) == length
        return bytes.withUnsafeBytes { buffer in
            let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
            return PackedAudioFormat.recognize(rest, isWhole: isWhole) != nil
                || rest.starts(with: Array("ID3".utf8)) || rest.starts(with: Array("WEBVTT".utf8))
        }
    }

    /// Returns whether at least `count` transport packets begin here, or fewer that reach exactly to the end of the
    /// segment.
    private func hasPackets(at offset: Int, atLeast count: Int) -> Bool {
        guard bytes[offset] == 0x47 else { return false }
        let rest = length - Int64(offset)
        let needed = rest % Int64(Self.packet) == 0 ? min(count, Int(min(rest / Int64(Self.packet), 5))) : count
        let last = offset + (needed - 1) * Self.packet
        guard needed > 0, last < bytes.count else { return false }
        return stride(from: offset, through: last, by: Self.packet).allSatisfy { bytes[$0] == 0x47 }
    }

    /// Returns whether a box begins here that can be the first of an MP4 segment, followed by another box or the end.
    private func hasBoxes(at offset: Int) -> Bool {
        guard offset + 8 <= bytes.count else { return false }
        let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
        guard ["ftyp", "styp", "sidx", "moof", "moov"].contains(type) else { return false }
        let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
        let end = Int64(offset) + size
        guard size >= 8, end <= length else { return false }
        guard end + 8 <= Int64(bytes.count) else { return true }
        return bytes[Int(end) + 4..<Int(end) + 8].allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
        }
    }
}
