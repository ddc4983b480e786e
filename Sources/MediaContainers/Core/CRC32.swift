/// The CRC-32 of zlib and ISO 3309: reflected polynomial 0xEDB88320, with an initial value and a final XOR of all ones.
public struct CRC32: Sendable {
    private var state: UInt32 = 0xFFFF_FFFF

    /// Creates the checksum of an empty input.
    public init() {}

    /// The checksum of the bytes added so far.
    public var value: UInt32 { ~state }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = state
        Self.table.withUnsafeBufferPointer { table in
            var index = 0
            let end = bytes.count
            // Processing eight bytes per step, each with its own table, hides the latency of the lookups.
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

    /// Returns the checksum of `bytes`.
    public static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32()
        crc.update(bytes)
        return crc.value
    }

    /// Eight consecutive tables of 256 entries: one for each byte of a step.
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
