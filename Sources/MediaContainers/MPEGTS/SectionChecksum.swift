/// The CRC of PSI sections: polynomial 0x04C11DB7, most significant bit first (ISO/IEC 13818-1, annex A).
enum SectionChecksum {
    /// The remainder over bytes that end with their checksum: 0 if they are whole.
    static func remainder(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc = crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 24) ^ byte)]
        }
        return crc
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var crc = UInt32(index) << 24
        for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
        return crc
    }
}
