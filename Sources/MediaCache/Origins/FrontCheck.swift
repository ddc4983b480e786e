/// A check that a version doesn't begin with a playlist or manifest. It's needed if the media type was determined
/// without the first bytes, for example because the first request was for the middle.
struct FrontCheck {
    /// The bytes from offset 0 while they may be the beginning of a playlist; nil after the decision.
    private var front: [UInt8]?

    /// Creates a check of the version with this head. It's already decided if the type is a playlist or manifest.
    init(of head: ResourceHead) {
        front = MediaType.isReferenceList(head.contentType) ? nil : []
    }

    var isPending: Bool { front != nil }

    /// Returns false if the bytes complete the signature of a playlist or manifest, or if the check is still undecided
    /// after ``MediaType/maximumFrontLength`` bytes. Earlier bytes may be used, because they contain no URL.
    mutating func permits(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        guard var front, offset == front.count else { return true }
        self.front = nil
        front += bytes.prefix(MediaType.maximumFrontLength - front.count)
        guard front.withUnsafeBytes(MediaType.mayBecomePlaylist) else {
            return !MediaType.isReferenceList(front.withUnsafeBytes(MediaType.sniff))
        }
        self.front = front
        return front.count < MediaType.maximumFrontLength
    }
}
