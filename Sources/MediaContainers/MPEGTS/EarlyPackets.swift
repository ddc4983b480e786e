/// Keeps the packets that come before the first programme map: recordings that were cut anywhere begin with them.
struct EarlyPackets {
    /// Maps are repeated several times a second; a megabyte is enough for most rates.
    private static let limit = 5000

    private(set) var isOpen = true
    private var bytes: [UInt8] = []
    private var offsets: [Int64] = []

    mutating func keep(_ packet: UnsafeRawPointer, _ header: TransportPacket, at offset: Int64) {
        guard isOpen, header.pid != 0x1FFF else { return }
        guard offsets.count < Self.limit else {
            close()
            return
        }
        let length = TransportPacketSynchronizer.packetLength
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: packet, count: length))
        offsets.append(offset)
    }

    /// Ends the keeping and gives what was kept.
    @discardableResult mutating func close() -> (bytes: [UInt8], offsets: [Int64]) {
        defer {
            isOpen = false
            bytes = []
            offsets = []
        }
        return (bytes, offsets)
    }
}
