/// Cuts PES packets and sections into transport packets (ISO/IEC 13818-1, 2.4.3).
struct TransportPacketWriter {
    private static let packetLength = 188
    private static let payloadLength = 184

    /// The packets made since they were last taken.
    private(set) var bytes: [UInt8] = []
    private var counters: [UInt16: UInt8] = [:]

    /// Forgets the packets that were taken.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a PES packet.
    ///
    /// - Parameters:
    ///   - pes: The packet, header and payload.
    ///   - pid: The stream's PID.
    ///   - clock: The programme's clock at its first byte, in ticks of 90 kHz, where the stream carries it.
    ///   - isRandomAccess: Whether decoding can start here.
    mutating func add(_ pes: [UInt8], pid: UInt16, clock: Int64?, isRandomAccess: Bool) {
        var field: [UInt8] = []
        if clock != nil || isRandomAccess {
            field = [(isRandomAccess ? 0x40 : 0) | (clock != nil ? 0x10 : 0)]
            if let clock { field += Self.reference(clock) }
        }
        var position = 0
        while position < pes.count {
            let isFirst = position == 0
            position += packet(pid, pes[position...], field: isFirst ? field : [], startsUnit: isFirst)
        }
    }

    /// Adds a section that fits into one packet.
    mutating func add(section: [UInt8], pid: UInt16) {
        let payload = [0] + section
        let padding = [UInt8](repeating: 0xFF, count: max(0, Self.payloadLength - payload.count))
        _ = packet(pid, (payload + padding)[...], field: [], startsUnit: true)
    }

    /// - Returns: How many bytes of the payload the packet took.
    private mutating func packet(_ pid: UInt16, _ payload: ArraySlice<UInt8>, field: [UInt8], startsUnit: Bool) -> Int {
        // The adaptation field has a length byte of its own.
        var field = field.isEmpty ? [] : [UInt8(truncatingIfNeeded: field.count)] + field
        let count = min(payload.count, Self.payloadLength - field.count)
        let stuffing = Self.payloadLength - field.count - count
        if stuffing > 0 {
            if field.isEmpty {
                field = stuffing == 1 ? [0] : [UInt8(truncatingIfNeeded: stuffing - 1), 0]
                field += [UInt8](repeating: 0xFF, count: max(0, stuffing - 2))
            } else {
                field[0] += UInt8(truncatingIfNeeded: stuffing)
                field += [UInt8](repeating: 0xFF, count: stuffing)
            }
        }
        let counter = counters[pid, default: 0]
        counters[pid] = (counter + 1) & 15
        bytes.append(0x47)
        bytes.appendBigEndian((startsUnit ? 0x4000 : 0) | pid & 0x1FFF)
        bytes.append((field.isEmpty ? 0x10 : 0x30) | counter)
        bytes += field
        bytes += payload.prefix(count)
        return count
    }

    /// A programme clock reference without its extension (2.4.3.5).
    private static func reference(_ clock: Int64) -> [UInt8] {
        let base = UInt64(bitPattern: clock) & 0x1_FFFF_FFFF
        return [
            UInt8(truncatingIfNeeded: base >> 25), UInt8(truncatingIfNeeded: base >> 17),
            UInt8(truncatingIfNeeded: base >> 9), UInt8(truncatingIfNeeded: base >> 1),
            UInt8(truncatingIfNeeded: base & 1) << 7 | 0x7E, 0,
        ]
    }
}
