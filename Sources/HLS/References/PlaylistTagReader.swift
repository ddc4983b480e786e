/// A reader of the known tags in a playlist's bytes.
package struct PlaylistTagReader {
    /// A tag and the position of its value.
    package struct Item {
        package let tag: PlaylistTag
        let value: Range<Int>?
    }

    private let bytes: UnsafeRawBufferPointer
    private var lines: LineScanner
    /// The next line, which begins at or after the last limit.
    private var pending: Line?

    /// Creates a reader of `bytes`, which must outlive the reader.
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        lines = LineScanner(bytes)
    }

    /// Returns the next known tag on a line that begins before `limit`; nil if there is none.
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

    /// Returns the decimal number at the beginning of a value; nil if there is none.
    package func decimal(_ item: Item) -> DecimalValue? {
        item.value.flatMap { DecimalValue.read(bytes, $0)?.value }
    }

    package func text(_ item: Item) -> String { item.value.map { String(playlistBytes: bytes.part($0)) } ?? "" }

    /// Returns the value of a tag as an attribute list, without substituting variables.
    package func attributes(_ item: Item) -> AttributeList {
        item.value.map { AttributeList(bytes, $0, substituting: nil) } ?? AttributeList()
    }
}
