internal import MediaContainers

/// A wrapping that some origins add to a media segment to disguise or compress it. It's stored, and removed on output.
public enum SegmentWrapping: Sendable, Hashable {
    /// No wrapping.
    case none
    /// An image, or the beginning of one, that occupies `length` bytes before the media.
    case image(length: Int)
    /// Compression of the whole segment (RFC 1952).
    case gzip

    /// The number of bytes needed to detect whether a segment may be wrapped.
    public static let probeLength = 16
    /// The number of bytes that are searched for the end of an image. A longer image isn't recognized as a wrapping.
    public static let frontLength = 256 << 10

    /// Returns whether a segment may be wrapped, judging by its first ``probeLength`` bytes.
    public static func mayBegin(_ front: some Collection<UInt8>) -> Bool {
        let front = Array(front.prefix(probeLength))
        return isGzip(front) || ImagePrefix.isRecognized(front)
    }

    /// Returns the wrapping of a segment. For gzip, only the header is examined, so an encrypted segment may be
    /// misidentified. An image that isn't followed by media isn't a wrapping.
    ///
    /// - Parameters:
    ///   - front: The first ``frontLength`` bytes of the segment, or all of it.
    ///   - length: The segment's length in bytes.
    ///   - isEncrypted: Whether the segment is encrypted, so that the media after an image can't be recognized.
    public static func find(front: [UInt8], length: Int64, isEncrypted: Bool = false) -> SegmentWrapping {
        if isGzip(front) { return .gzip }
        guard ImagePrefix.isRecognized(front) else { return .none }
        let image = ImagePrefix(front, length: length)
        let found = isEncrypted ? image.lengthBeforeCiphertext : image.lengthBeforeMedia
        return found.map { .image(length: $0) } ?? .none
    }

    /// Returns whether bytes begin with a gzip header. The method and flags are also checked, because ciphertext may
    /// begin with the same signature by chance.
    private static func isGzip(_ front: [UInt8]) -> Bool {
        front.count >= 10 && front[0] == 0x1F && front[1] == 0x8B && front[2] == 8 && front[3] & 0xE0 == 0
    }
}
