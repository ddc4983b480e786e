/// An iterator over consecutive boxes in borrowed bytes.
struct BoxIterator {
    private var reader: ByteReader

    init(_ reader: ByteReader) { self.reader = reader }

    /// Returns the next box with a reader over its payload, or nil at the end. Ignores up to seven bytes after the last
    /// box, because QuickTime ends `udta` with four zeros.
    mutating func next() throws(ContainerError) -> (header: BoxHeader, payload: ByteReader)? {
        guard reader.remaining >= 8 else { return nil }
        let header = try BoxHeader(&reader, limit: reader.offset + Int64(reader.remaining))
        let count = header.size - Int64(header.headerSize)
        guard count <= Int64(reader.remaining) else {
            throw ContainerError(
                .truncated, "\(header.type): \(header.size) bytes, \(reader.remaining + header.headerSize) left",
                at: header.offset)
        }
        return (header, try reader.sub(Int(count)))
    }
}

/// An iterator over the top-level boxes of a file that reads only their headers.
public struct TopLevelBoxes<Source: ByteSource> {
    private let source: Source
    /// The offset of the next box in the file, in bytes.
    public private(set) var position: Int64

    /// Creates an iterator that begins at an offset of the file.
    public init(_ source: Source, from position: Int64 = 0) {
        self.source = source
        self.position = position
    }

    /// Returns the next box, or nil at the end of the file. The last box of a truncated file may extend past the end.
    /// Throws when the bytes at ``position`` aren't a box header, and the errors of the source.
    public mutating func next() throws(ContainerError) -> BoxHeader? {
        let length = source.length
        guard length - position >= 8 else { return nil }
        let begin = position
        let end = min(length, begin.addingClamped(Int64(BoxHeader.maximumHeaderLength)))
        let bytes = try source.bytes(begin..<end, limit: BoxHeader.maximumHeaderLength)
        let header = try bytes.withReader(at: begin) { (reader) throws(ContainerError) in
            try BoxHeader(&reader, limit: length)
        }
        position = header.end
        return header
    }
}
