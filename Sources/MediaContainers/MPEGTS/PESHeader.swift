/// The header of a PES packet (ISO/IEC 13818-1, 2.4.3.6).
struct PESHeader: Equatable {
    /// The bytes that tell the header's length.
    static let shortest = 9

    var streamID: UInt8
    /// Bytes of the packet after its first six, 0 where the packet goes on to the next one.
    var packetLength: Int
    /// The header's whole length in bytes.
    var length: Int
    /// 33 bits of 90 kHz.
    var pts: Int64?
    var dts: Int64?

    /// The length of the header that begins at the front; nil if it isn't one, 0 if more bytes are needed.
    static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        if bytes.count >= 3, bytes[0] != 0 || bytes[1] != 0 || bytes[2] != 1 { return nil }
        guard bytes.count >= 6 else { return 0 }
        guard hasOptionalHeader(bytes[3]) else { return 6 }
        guard bytes.count >= shortest else { return 0 }
        // The marker bits 10 tell it from the headers of MPEG-1.
        guard bytes[6] & 0xC0 == 0x80 else { return nil }
        return shortest + Int(bytes[8])
    }

    /// Reads a header that is all there.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let length = Self.length(bytes), length > 0, length <= bytes.count else { return nil }
        self.length = length
        streamID = bytes[3]
        packetLength = Int(bytes[4]) << 8 | Int(bytes[5])
        guard length >= Self.shortest else { return }
        let flags = bytes[7] >> 6
        if flags & 2 != 0, bytes[8] >= 5 { pts = Self.timestamp(bytes, at: 9) }
        if flags == 3, bytes[8] >= 10 { dts = Self.timestamp(bytes, at: 14) }
    }

    /// Padding, maps, directories and the like have none (table 2-22).
    private static func hasOptionalHeader(_ id: UInt8) -> Bool {
        ![0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF].contains(id)
    }

    private static func timestamp(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int64 {
        let high = Int64(bytes[place] >> 1 & 7) << 30
        let middle = Int64(bytes[place + 1]) << 22 | Int64(bytes[place + 2] >> 1) << 15
        return high | middle | Int64(bytes[place + 3]) << 7 | Int64(bytes[place + 4] >> 1)
    }
}
