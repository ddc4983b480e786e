/// The header and adaptation field of a transport packet (ISO/IEC 13818-1, 2.4.3.2 and 2.4.3.4).
struct TransportPacket {
    var pid: Int
    /// Whether a PES packet or a section begins in the payload.
    var startsUnit: Bool
    /// Whether the receiver detected an uncorrectable error (`transport_error_indicator`).
    var hasTransportError: Bool
    /// Whether the payload is scrambled (`transport_scrambling_control` isn't 0).
    var isScrambled: Bool
    /// The continuity counter, 0 to 15, which counts the packets of a PID that have a payload.
    var continuityCounter: UInt8
    /// Whether the continuity counter, and on the PCR's PID the clock, may jump here.
    var hasDiscontinuity = false
    /// Whether decoding can start with the data that begins here (`random_access_indicator`).
    var isRandomAccess = false
    /// The index of the payload in the packet; 188 if there is none.
    var payloadStart: Int

    /// Reads the header of a 188-byte packet. Returns nil if it has neither a payload nor an adaptation field, or if
    /// the adaptation field is too long.
    @inline(__always)
    init?(_ packet: UnsafeRawPointer) {
        let header = UInt32(bigEndian: packet.loadUnaligned(as: UInt32.self))
        hasTransportError = header & 0x80_0000 != 0
        startsUnit = header & 0x40_0000 != 0
        pid = Int(header >> 8 & 0x1FFF)
        isScrambled = header & 0xC0 != 0
        continuityCounter = UInt8(header & 0x0F)
        let hasPayload = header & 0x10 != 0
        payloadStart = hasPayload ? 4 : TransportPacketSynchronizer.packetLength
        guard header & 0x20 != 0 else {
            // adaptation_field_control 00 is reserved; the standard requires such packets to be discarded.
            guard hasPayload else { return nil }
            return
        }
        let length = Int(packet.load(fromByteOffset: 4, as: UInt8.self))
        guard length <= 183 else { return nil }
        if hasPayload { payloadStart = 5 + length }
        guard length > 0 else { return }
        let flags = packet.load(fromByteOffset: 5, as: UInt8.self)
        hasDiscontinuity = flags & 0x80 != 0
        isRandomAccess = flags & 0x40 != 0
    }

    var hasPayload: Bool { payloadStart < TransportPacketSynchronizer.packetLength }
}

/// The header of a PES packet (ISO/IEC 13818-1, 2.4.3.6).
struct PESHeader: Equatable {
    /// The number of bytes needed to read the length of a header.
    static let shortest = 9

    /// The number of bytes after the first six, or 0 if the packet ends where the next begins.
    var packetLength: Int
    /// The length of the header in bytes.
    var length: Int
    /// The 33-bit presentation timestamp in 90 kHz ticks, or nil.
    var pts: Int64?
    var dts: Int64?

    /// Returns the length of the header at the beginning of the bytes: nil if there is none, 0 if more bytes are
    /// needed.
    static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        if bytes.count >= 3, bytes[0] != 0 || bytes[1] != 0 || bytes[2] != 1 { return nil }
        guard bytes.count >= 6 else { return 0 }
        guard hasOptionalHeader(bytes[3]) else { return 6 }
        guard bytes.count >= shortest else { return 0 }
        // The marker bits 10 distinguish the header from that of MPEG-1.
        guard bytes[6] & 0xC0 == 0x80 else { return nil }
        return shortest + Int(bytes[8])
    }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let length = Self.length(bytes), length > 0, length <= bytes.count else { return nil }
        self.length = length
        packetLength = Int(bytes[4]) << 8 | Int(bytes[5])
        guard length >= Self.shortest else { return }
        let flags = bytes[7] >> 6
        if flags & 2 != 0, bytes[8] >= 5 { pts = Self.timestamp(bytes, at: 9) }
        if flags == 3, bytes[8] >= 10 { dts = Self.timestamp(bytes, at: 14) }
    }

    /// Returns whether a stream id has the optional header (table 2-22).
    private static func hasOptionalHeader(_ id: UInt8) -> Bool {
        ![0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF].contains(id)
    }

    private static func timestamp(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
        let high = Int64(bytes[offset] >> 1 & 7) << 30
        let middle = Int64(bytes[offset + 1]) << 22 | Int64(bytes[offset + 2] >> 1) << 15
        return high | middle | Int64(bytes[offset + 3]) << 7 | Int64(bytes[offset + 4] >> 1)
    }
}
