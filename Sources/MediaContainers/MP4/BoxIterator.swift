/// Walks over the boxes that lie in a run of borrowed bytes, one after the other.
struct BoxIterator {
    private var reader: ByteReader

    /// Creates an iterator over a container box's payload.
    init(_ reader: ByteReader) { self.reader = reader }

    /// The next box with a reader over its payload, or nil at the end.
    ///
    /// Up to seven bytes after the last box are passed over: QuickTime ends `udta` with four zeros.
    ///
    /// - Throws: ``ContainerError`` when a box is larger than what holds it.
    mutating func next() throws(ContainerError) -> (header: BoxHeader, payload: ByteReader)? {
        guard reader.remaining >= 8 else { return nil }
        let header = try BoxHeader(&reader, limit: reader.offset + Int64(reader.remaining))
        let count = header.size - Int64(header.headerSize)
        guard count <= Int64(reader.remaining) else {
            throw ContainerError(
                .truncated, "\(header.type): \(header.size) bytes, \(reader.remaining + header.headerSize) there",
                at: header.offset)
        }
        return (header, try reader.sub(Int(count)))
    }
}

/// Walks over the boxes of a file by reading their headers only.
public struct TopLevelBoxes<Source: ByteSource> {
    private let source: Source
    /// Where the next box begins, in bytes from the start of the file.
    public private(set) var position: Int64

    /// Creates a walk.
    ///
    /// - Parameters:
    ///   - source: The file's bytes.
    ///   - position: Where a box begins.
    public init(_ source: Source, from position: Int64 = 0) {
        self.source = source
        self.position = position
    }

    /// The next box, or nil at the end of the file.
    ///
    /// The last box of a file that was cut off ends after the file. Fewer than eight bytes at the end are passed
    /// over.
    ///
    /// - Throws: ``ContainerError`` when the bytes at the position are no box.
    public mutating func next() throws(ContainerError) -> BoxHeader? {
        let length = source.length
        guard length - position >= 8 else { return nil }
        let begin = position
        let end = min(length, begin.addingClamped(Int64(BoxHeader.largestHeader)))
        let bytes = try source.bytes(begin..<end, limit: BoxHeader.largestHeader)
        let header = try bytes.withReader(at: begin) { (reader) throws(ContainerError) in
            try BoxHeader(&reader, limit: length)
        }
        position = header.end
        return header
    }
}
