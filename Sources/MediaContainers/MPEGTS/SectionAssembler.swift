/// Puts the sections of one PID together from the payloads of its packets (ISO/IEC 13818-1, 2.4.4).
struct SectionAssembler {
    /// `section_length` is at most 1021 for PAT and PMT, 4093 for private sections, counted after three bytes.
    private static let longestSection = 4096

    private var section: [UInt8] = []
    /// Whether the front of a section may be here; after stuffing nothing counts until a payload says where one begins.
    private var isInside = false

    /// Forgets a section begun: its continuation was lost.
    mutating func reset() {
        section.removeAll(keepingCapacity: true)
        isInside = false
    }

    /// Adds a packet's payload.
    ///
    /// - Returns: The sections that it completes.
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
        // pointer_field: so many bytes still belong to the section begun before.
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
            guard section[0] != 0xFF, length <= Self.longestSection else { return reset() }
            guard section.count >= length else { return }
            sections.append(Array(section[..<length]))
            section.removeFirst(length)
        }
        if section.first == 0xFF { reset() }
    }
}

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
