/// An Opus packet's table of contents (RFC 6716, 3.1).
enum OpusPacket {
    /// How many samples of 48 kHz the packet holds: 0 if it says nothing legal.
    static func samples(_ packet: UnsafeRawBufferPointer) -> Int64 {
        guard let contents = packet.first else { return 0 }
        let configuration = Int(contents >> 3)
        let frame: Int64 =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        switch contents & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default: return packet.count > 1 ? frame * Int64(packet[1] & 0x3F) : 0
        }
    }
}
