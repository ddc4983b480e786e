/// A writer that divides PES packets and sections into transport packets (ISO/IEC 13818-1, 2.4.3).
struct TransportPacketWriter {
    private static let payloadLength = 184

    private(set) var bytes: [UInt8] = []
    private var counters: [UInt16: UInt8] = [:]

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a PES packet. `clock` is the program clock in 90 kHz ticks, or nil if another stream carries it.
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

    /// Adds a section that fits one packet.
    mutating func add(section: [UInt8], pid: UInt16) {
        let payload = [0] + section
        let padding = [UInt8](repeating: 0xFF, count: max(0, Self.payloadLength - payload.count))
        _ = packet(pid, (payload + padding)[...], field: [], startsUnit: true)
    }

    /// Adds a transport packet. Returns the number of payload bytes in it.
    private mutating func packet(_ pid: UInt16, _ payload: ArraySlice<UInt8>, field: [UInt8], startsUnit: Bool) -> Int {
        // The adaptation field begins with a byte that contains its length.
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

    /// Returns a program clock reference with an extension of 0 (2.4.3.5).
    private static func reference(_ clock: Int64) -> [UInt8] {
        let base = UInt64(bitPattern: clock) & 0x1_FFFF_FFFF
        return [
            UInt8(truncatingIfNeeded: base >> 25), UInt8(truncatingIfNeeded: base >> 17),
            UInt8(truncatingIfNeeded: base >> 9), UInt8(truncatingIfNeeded: base >> 1),
            UInt8(truncatingIfNeeded: base & 1) << 7 | 0x7E, 0,
        ]
    }
}
