/// The part of a transport stream up to the end of its first picture, to which I-frame playlists refer (RFC 8216bis,
/// 4.4.3.6).
public enum TransportStreamFront {
    /// Returns the number of bytes that contain the first picture and the data needed to decode it. `front` begins with
    /// a packet; if `isWhole`, the stream ends with it. Returns nil if it doesn't contain a complete first picture, if
    /// that picture depends on others, or if the stream is scrambled or doesn't consist of 188-byte packets.
    public static func lengthToFirstFrame(_ front: UnsafeRawBufferPointer, isWhole: Bool) -> Int? {
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
