import Foundation
import TestSupport

/// Media segments as origins hide them.
enum WrappedSample {
    /// A picture of one pixel, as a whole.
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])
        + chunk("IDAT", [0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0, 0, 3, 1, 1, 0]) + chunk("IEND", [])

    private static func chunk(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(bytes.count)] + Array(type.utf8) + bytes + [0, 0, 0, 0]
    }

    /// Packets of a transport stream, of which only the headers mean something.
    static func packets(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).flatMap { _ in
            [0x47, 0x01, 0x00, 0x10] + (0..<184).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    /// A box of MP4.
    static func box(_ type: String, _ length: Int) -> [UInt8] {
        let size = UInt32(length + 8)
        return withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array(type.utf8)
            + [UInt8](repeating: 7, count: length)
    }

    /// What gzip makes of bytes: blocks that are stored as they are (RFC 1951 §3.2.4).
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
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
