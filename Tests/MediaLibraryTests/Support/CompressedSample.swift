/// A playlist compressed with gzip (RFC 1952).
enum CompressedSample {
    static let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n"

    static let playlist: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0x53, 0x76, 0x8D, 0x08, 0xF1, 0x35,
        0x0E, 0xE5, 0x52, 0x06, 0xD2, 0xBA, 0x11, 0xBA, 0x21, 0x8E, 0x41, 0xEE, 0xAE, 0x21, 0x2E, 0xA1,
        0x41, 0x8E, 0x21, 0x9E, 0xFE, 0x7E, 0x56, 0x66, 0x60, 0x71, 0x4F, 0x3F, 0x37, 0x2B, 0x33, 0x1D,
        0xAE, 0x44, 0xBD, 0x92, 0x62, 0x98, 0x3A, 0x57, 0x3F, 0x17, 0x1F, 0xCF, 0xE0, 0x10, 0x2E, 0x00,
        0x32, 0xC0, 0x31, 0x47, 0x3F, 0x00, 0x00, 0x00,
    ]

    /// Returns bytes in gzip format, uncompressed in stored blocks (RFC 1951 §3.2.4).
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(65_535)
            rest = rest.dropFirst(piece.count)
            let count = UInt16(piece.count)
            output.append(rest.isEmpty ? 1 : 0)
            for number in [count, ~count] { output += [UInt8(number & 255), UInt8(number >> 8)] }
            output += piece
        } while !rest.isEmpty
        for number in [crc32(bytes), UInt32(bytes.count)] {
            output += withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        return output
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
