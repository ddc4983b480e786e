/// An assembler of the sections of one PID from packet payloads (ISO/IEC 13818-1, 2.4.4).
struct SectionAssembler {
    private static let maximumSectionLength = 4096

    private var section: [UInt8] = []
    /// Whether the bytes so far belong to a section; false after stuffing, until a payload starts a section.
    private var isInside = false

    /// Discards an incomplete section, because its continuation was lost.
    mutating func reset() {
        section.removeAll(keepingCapacity: true)
        isInside = false
    }

    /// Adds the payload of a packet. Returns the sections that it completes.
    mutating func push(_ payload: UnsafeRawBufferPointer, startsUnit: Bool) -> [[UInt8]] {
        var sections: [[UInt8]] = []
        guard startsUnit else {
            if isInside { append(payload, to: &sections) }
            return sections
        }
        guard let pointer = payload.first, Int(pointer) < payload.count else {
            reset()
            return sections
        }
        // pointer_field is the number of bytes that still belong to the previous section.
        let start = 1 + Int(pointer)
        if isInside { append(UnsafeRawBufferPointer(rebasing: payload[1..<start]), to: &sections) }
        reset()
        isInside = true
        append(UnsafeRawBufferPointer(rebasing: payload[start...]), to: &sections)
        return sections
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, to sections: inout [[UInt8]]) {
        section.append(contentsOf: bytes)
        while section.count >= 3 {
            let length = 3 + (Int(section[1] & 0x0F) << 8 | Int(section[2]))
            guard section[0] != 0xFF, length <= Self.maximumSectionLength else { return reset() }
            guard section.count >= length else { return }
            sections.append(Array(section[..<length]))
            section.removeFirst(length)
        }
        if section.first == 0xFF { reset() }
    }
}

/// The CRC of PSI sections: polynomial 0x04C11DB7, most significant bit first (ISO/IEC 13818-1, annex A).
enum SectionChecksum {
    /// Returns the remainder of bytes that end with their checksum. It is 0 for intact bytes.
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
