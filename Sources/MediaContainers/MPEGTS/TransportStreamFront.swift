/// The front of a transport stream, as far as its first picture: what a playlist of I-frames names of a media segment
/// (RFC 8216bis, section 4.4.3.6).
public enum TransportStreamFront {
    /// How many bytes at the front hold the first picture and what is needed to decode it.
    ///
    /// - Parameters:
    ///   - front: the first bytes, from a packet's beginning on.
    ///   - isWhole: whether there are no others.
    /// - Returns: nil where the first picture can't be decoded by itself, where it isn't over in `front`, where there is
    ///   none, and for what isn't a transport stream of packets of 188 bytes in the clear.
    public static func lengthToFirstPicture(_ front: UnsafeRawBufferPointer, isWhole: Bool) -> Int? {
        let length = TransportPacketSynchronizer.packetLength
        guard let base = front.baseAddress else { return nil }
        var pictures: Int?
        for start in stride(from: 0, through: front.count - length, by: length) {
            guard front[start] == TransportPacketSynchronizer.syncByte else { return nil }
            guard let packet = TransportPacket(base + start), !packet.isScrambled else { continue }
            if packet.pid == pictures, packet.startsUnit { return start }
            guard pictures == nil, packet.startsUnit, packet.hasPayload else { continue }
            let payload = UnsafeRawBufferPointer(rebasing: front[(start + packet.payloadStart)..<(start + length)])
            // A PES packet of a video stream (ISO/IEC 13818-1, table 2-22).
            guard payload.count > 3, payload[0] == 0, payload[1] == 0, payload[2] == 1,
                (0xE0...0xEF).contains(payload[3])
            else { continue }
            guard packet.isRandomAccess else { return nil }
            pictures = packet.pid
        }
        return pictures != nil && isWhole ? front.count / length * length : nil
    }
}
