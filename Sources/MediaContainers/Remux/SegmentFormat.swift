/// What a media segment is made of (RFC 8216, 3).
public enum SegmentFormat: Sendable, Hashable {
    /// An MPEG transport stream.
    case transportStream
    /// MP4, QuickTime, or a fragment of either.
    case mp4
    /// Frames of sound behind ID3 tags.
    case packedAudio

    /// The most bytes that are looked at.
    public static let probeLength = 64 << 10

    /// Recognises a segment by its first bytes, never by its name.
    ///
    /// - Parameters:
    ///   - bytes: The segment's front.
    ///   - isWhole: Whether nothing follows.
    /// - Returns: The format, or nil where none is recognised.
    public static func recognise(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> SegmentFormat? {
        // A letter that comes again at the right distance makes no packets of a text: a playlist, for one.
        if isText(bytes) { return nil }
        if isMP4(bytes) { return .mp4 }
        // An ID3 tag may hold anything, so what follows decides; a transport stream has none.
        if ID3Tag.length(bytes) == nil, isTransportStream(bytes) { return .transportStream }
        if PackedAudioFormat.recognise(bytes, isWhole: isWhole) != nil { return .packedAudio }
        if ID3Tag.length(bytes) != nil { return .packedAudio }
        return isTransportStream(bytes) ? .transportStream : nil
    }

    /// Whether there is nothing but characters in the front of a segment.
    static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.prefix(4096).contains { $0 < 0x20 && !(0x09...0x0D).contains($0) }
    }

    private static func isMP4(_ bytes: UnsafeRawBufferPointer) -> Bool {
        MP4Format.isRecognised(bytes)
    }

    private static func isTransportStream(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var synchronizer = TransportPacketSynchronizer()
        var cursor = 0
        if synchronizer.next(in: bytes, at: &cursor) != nil { return true }
        // Fewer packets than make it sure: then the first byte has to be one's.
        return synchronizer.nextAtEnd() != nil && synchronizer.packetOffset == 0
    }
}
