/// The container format of a media segment (RFC 8216, 3).
public enum SegmentFormat: Sendable, Hashable {
    /// An MPEG transport stream.
    case transportStream
    /// MP4, QuickTime, or fragments of either.
    case mp4
    /// Packed audio: audio frames, usually after an ID3 tag.
    case packedAudio

    /// The maximum number of bytes needed to recognize a segment.
    public static let probeLength = 64 << 10

    /// Recognizes a segment by up to ``probeLength`` bytes at its beginning, regardless of its name.
    public static func recognize(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> SegmentFormat? {
        // In text such as a playlist, the letter G, which is the sync byte, may repeat at the distance of packets.
        if isText(bytes) { return nil }
        if MP4Format.isRecognized(bytes) { return .mp4 }
        // An ID3 tag may contain any bytes, even those of packets. A transport stream doesn't begin with a tag.
        if ID3Tag.length(bytes) == nil, isTransportStream(bytes) { return .transportStream }
        if PackedAudioFormat.recognize(bytes, isWhole: isWhole) != nil { return .packedAudio }
        if ID3Tag.length(bytes) != nil { return .packedAudio }
        return isTransportStream(bytes) ? .transportStream : nil
    }

    /// Returns whether the first 4,096 bytes have no control characters other than white space.
    static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.prefix(4096).contains { $0 < 0x20 && !(0x09...0x0D).contains($0) }
    }

    private static func isTransportStream(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var synchronizer = TransportPacketSynchronizer()
        var cursor = 0
        if synchronizer.next(in: bytes, at: &cursor) != nil { return true }
        // With too few packets to be certain, the first byte must be a sync byte.
        return synchronizer.nextAtEnd() != nil && synchronizer.packetOffset == 0
    }
}
