internal import MediaContainers

/// A wrapping around a media segment, with which some origins disguise or compress it.
///
/// The cache stores the origin's bytes. The wrapping is removed on output.
public enum SegmentWrapping: Sendable, Hashable {
    /// No wrapping.
    case none
    /// An image, or the beginning of one, of `length` bytes before the media.
    case picture(length: Int)
    /// Compression of the whole segment (RFC 1952).
    case gzip

    /// The number of bytes that show whether a segment may be wrapped.
    public static let probeLength = 16
    /// The number of bytes that are searched for the end of an image. A longer one isn't recognised as a wrapping.
    public static let frontLength = 256 << 10

    /// Whether a segment may be wrapped, judging by its first ``probeLength`` bytes. Most segments aren't.
    public static func mayBegin(_ front: some Collection<UInt8>) -> Bool {
        let front = Array(front.prefix(probeLength))
        return isGzip(front) || PictureFront.isRecognised(front)
    }

    /// Returns the wrapping of a segment.
    ///
    /// An image without media after it isn't a wrapping, but may be a thumbnail.
    ///
    /// - Parameters:
    ///   - front: The first ``frontLength`` bytes of the segment, or all of it.
    ///   - length: The length of the segment in bytes.
    ///   - isEncrypted: Whether the segment is encrypted, so that the media after an image can't be recognised.
    public static func find(front: [UInt8], length: Int64, isEncrypted: Bool = false) -> SegmentWrapping {
        if isGzip(front) { return .gzip }
        guard PictureFront.isRecognised(front) else { return .none }
        let picture = PictureFront(front, length: length)
        let found = isEncrypted ? picture.lengthBeforeCiphertext : picture.lengthBeforeMedia
        return found.map { .picture(length: $0) } ?? .none
    }

    /// Whether bytes begin with a gzip header, including the method and valid flags, because ciphertext may begin with
    /// the signature.
    private static func isGzip(_ front: [UInt8]) -> Bool {
        front.count >= 10 && front[0] == 0x1F && front[1] == 0x8B && front[2] == 8 && front[3] & 0xE0 == 0
    }
}
