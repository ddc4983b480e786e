/// Collects the lines of a playlist.
struct LineWriter {
    private(set) var bytes: [UInt8] = []

    mutating func tag(_ tag: PlaylistTag) {
        start(tag)
        bytes.append(.lineFeed)
    }

    mutating func tag(_ tag: PlaylistTag, _ value: some CustomStringConvertible) {
        start(tag)
        bytes.append(.colon)
        line(value.description)
    }

    mutating func tag(_ tag: PlaylistTag, _ attributed: some AttributeTag) {
        self.tag(tag, attributed.attributes)
    }

    /// A line of its own. Line ends within the text would make it two: they are percent-encoded.
    mutating func line(_ text: String) {
        for byte in text.utf8 {
            if byte == .lineFeed || byte == .carriageReturn { bytes.appendPercentEncoded(byte) } else { bytes.append(byte) }
        }
        bytes.append(.lineFeed)
    }

    private mutating func start(_ tag: PlaylistTag) {
        bytes.append(.numberSign)
        bytes.append(contentsOf: tag.rawValue.utf8)
    }
}
