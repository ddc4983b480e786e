/// The CRC-32 of zlib and ISO 3309: polynomial 0xEDB88320 reflected, all ones before and after.
///
/// This is the value that `ffprobe -show_data_hash CRC32` prints for a packet.
public struct CRC32: Sendable {
    private var state: UInt32 = 0xFFFF_FFFF

    /// Starts a checksum over no bytes.
    public init() {}

    /// The checksum of all bytes so far.
    public var value: UInt32 { ~state }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = state
        Self.table.withUnsafeBufferPointer { table in
            var index = 0
            let end = bytes.count
            // Eight bytes at a time, each through a table of its own, hides the latency of the lookups.
            while index + 8 <= end {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let low = crc ^ UInt32(truncatingIfNeeded: word)
                let high = UInt32(truncatingIfNeeded: word >> 32)
                let first =
                    table[1792 + Int(low & 0xFF)] ^ table[1536 + Int(low >> 8 & 0xFF)]
                    ^ table[1280 + Int(low >> 16 & 0xFF)] ^ table[1024 + Int(low >> 24)]
                let second =
                    table[768 + Int(high & 0xFF)] ^ table[512 + Int(high >> 8 & 0xFF)]
                    ^ table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
                crc = first ^ second
                index += 8
            }
            while index < end {
                crc = table[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
                index += 1
            }
        }
        state = crc
    }

    /// The checksum of bytes in one call.
    public static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32()
        crc.update(bytes)
        return crc.value
    }

    /// Eight tables of 256, one after the other.
    private static let table: [UInt32] = {
        var table = [UInt32](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var crc = UInt32(index)
            for _ in 0..<8 { crc = crc & 1 != 0 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
            table[index] = crc
        }
        for index in 256..<8 * 256 {
            let before = table[index - 256]
            table[index] = table[Int(before & 0xFF)] ^ (before >> 8)
        }
        return table
    }()
}

/// The Adler-32 checksum of RFC 1950, 8.2 (as `ffmpeg -f framecrc` prints it, but starting at 1).
public struct Adler32: Sendable {
    private var low: UInt32
    private var high: UInt32

    /// Starts a checksum over no bytes.
    ///
    /// - Parameter start: The state to go on from: 1 by the RFC, 0 for `framecrc`.
    public init(start: UInt32 = 1) {
        low = start & 0xFFFF
        high = start >> 16
    }

    /// The checksum of all bytes so far.
    public var value: UInt32 { high << 16 | low }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            // 5552 is the largest count whose sums can't overflow 32 bits before the modulus.
            let end = min(bytes.count, index + 5552)
            while index < end {
                low &+= UInt32(bytes[index])
                high &+= low
                index += 1
            }
            low %= 65521
            high %= 65521
        }
    }
}
