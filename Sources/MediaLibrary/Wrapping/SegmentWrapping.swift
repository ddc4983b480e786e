internal import MediaContainers

/// What an origin has put around a media segment, so that it passes for something else, or is smaller.
///
/// What is kept stays what the origin sent; it's unwrapped on its way out.
public enum SegmentWrapping: Sendable, Hashable {
    /// Nothing.
    case none
    /// A picture, or the front of one, of so many bytes; media follows.
    case picture(length: Int)
    /// All of it is compressed (RFC 1952).
    case gzip

    /// By so many first bytes it's told whether there may be a wrapping at all.
    public static let probeLength = 16
    /// So many first bytes are looked at then: a longer picture is taken for one.
    public static let frontLength = 256 << 10

    /// Whether a segment may be wrapped, by its first ``probeLength`` bytes: most aren't, and need no second look.
    public static func mayBegin(_ front: some Collection<UInt8>) -> Bool {
        let front = Array(front.prefix(probeLength))
        return isGzip(front) || PictureFront.isRecognised(front)
    }

    /// Finds out what is around a segment.
    ///
    /// A picture that isn't followed by media is a picture, as a thumbnail is.
    ///
    /// - Parameters:
    ///   - front: the segment's first bytes: ``frontLength``, or all there are.
    ///   - length: the segment's length in bytes.
    ///   - isEncrypted: whether it's encrypted as a whole, so that what follows a picture doesn't tell what it is.
    public static func find(front: [UInt8], length: Int64, isEncrypted: Bool = false) -> SegmentWrapping {
        if isGzip(front) { return .gzip }
        guard PictureFront.isRecognised(front) else { return .none }
        let picture = PictureFront(front, length: length)
        let found = isEncrypted ? picture.lengthBeforeCiphertext : picture.lengthBeforeMedia
        return found.map { .picture(length: $0) } ?? .none
    }

    /// The signature, the one method that there is, and no flag that there isn't: a key stream may begin like the former.
    private static func isGzip(_ front: [UInt8]) -> Bool {
        front.count >= 10 && front[0] == 0x1F && front[1] == 0x8B && front[2] == 8 && front[3] & 0xE0 == 0
    }
}
