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
