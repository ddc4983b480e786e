/// Collects the lines of a playlist.
struct LineWriter {
    private(set) var bytes: [UInt8] = []

    /// Where the first line begins that holds no tag.
    var firstURI: Int {
        var start = 0
        while start < bytes.count, bytes[start] == .numberSign {
            start = (bytes[start...].firstIndex(of: .lineFeed) ?? bytes.count - 1) + 1
        }
        return start
    }

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
        append(text)
        bytes.append(.lineFeed)
    }

    /// EXTINF with its duration, what else stands before the comma, and the title.
    mutating func segmentTag(_ duration: DecimalValue, _ title: String, parameters: () -> [String]) {
        start(.segment)
        bytes.append(.colon)
        append(duration.description)
        for text in parameters() { append(" " + text) }
        bytes.append(.comma)
        if !title.isEmpty { append(title) }
        bytes.append(.lineFeed)
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            if utf8.contains(where: { $0 == .lineFeed || $0 == .carriageReturn }) {
                for byte in utf8 {
                    if byte == .lineFeed || byte == .carriageReturn {
                        bytes.appendPercentEncoded(byte)
                    } else {
                        bytes.append(byte)
                    }
                }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
    }

    private mutating func start(_ tag: PlaylistTag) {
        bytes.append(.numberSign)
        bytes.append(contentsOf: tag.rawValue.utf8)
    }
}
