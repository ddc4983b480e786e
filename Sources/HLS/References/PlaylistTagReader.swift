/// Reads the tags of a playlist's bytes one after the other, without a model: beside its references, which are found in
/// the same order.
package struct PlaylistTagReader {
    /// A tag and where its value stands.
    package struct Item {
        /// The tag.
        package let tag: PlaylistTag
        let value: Range<Int>?
    }

    private let bytes: UnsafeRawBufferPointer
    private var lines: LineScanner
    /// A line that begins behind the last limit.
    private var pending: Line?

    /// A reader of `bytes`, which must outlive it.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        lines = LineScanner(bytes)
    }

    /// The next tag that the RFC defines whose line begins before `limit`; nil if there is none.
    package mutating func next(before limit: Int) -> Item? {
        while let line = pending ?? lines.next() {
            guard line.start < limit else {
                pending = line
                return nil
            }
            pending = nil
            guard let tagLine = TagLine(bytes, bytes.trimmed(line.start, line.end)),
                let tag = PlaylistTag(bytes, tagLine.name)
            else { continue }
            return Item(tag: tag, value: tagLine.value)
        }
        return nil
    }

    /// The decimal number that a value begins with.
    package func decimal(_ item: Item) -> DecimalValue? {
        item.value.flatMap { DecimalValue.read(bytes, $0)?.value }
    }

    /// A value as it's written.
    package func text(_ item: Item) -> String {
        item.value.map { String(playlistBytes: bytes.part($0.lowerBound, $0.upperBound)) } ?? ""
    }

    /// A value as an attribute list, variables as they are written.
    package func attributes(_ item: Item) -> AttributeList {
        item.value.map { AttributeList(bytes, $0, substituting: nil) } ?? AttributeList()
    }
}
