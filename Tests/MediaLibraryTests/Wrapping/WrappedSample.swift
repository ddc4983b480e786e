import Foundation
import TestSupport

/// Samples of wrapped media segments.
enum WrappedSample {
    /// A one-pixel PNG image with all its chunks, but without their checksums.
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])
        + chunk("IDAT", [0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0, 0, 3, 1, 1, 0]) + chunk("IEND", [])

    private static func chunk(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(bytes.count)] + Array(type.utf8) + bytes + [0, 0, 0, 0]
    }

    /// Returns transport packets with valid headers and random payloads.
    static func packets(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).flatMap { _ in
            [0x47, 0x01, 0x00, 0x10] + (0..<184).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    /// Returns an MP4 box with `length` bytes of content.
    static func box(_ type: String, _ length: Int) -> [UInt8] {
        let size = UInt32(length + 8)
        return withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array(type.utf8)
            + [UInt8](repeating: 7, count: length)
    }
}
