/// A writer of the lines of a playlist.
struct LineWriter {
    private(set) var bytes: [UInt8] = []

    mutating func tag(_ tag: PlaylistTag) {
        name(tag)
        endLine()
    }

    mutating func tag(_ tag: PlaylistTag, _ value: some CustomStringConvertible) {
        name(tag)
        append(.colon)
        line(value.description)
    }

    mutating func line(_ text: String) {
        append(text)
        endLine()
    }

    mutating func tags(_ common: CommonTags) {
        for tag in PlaylistTag.allCases {
            if case .anyPlaylist(let field) = tag.definition.place { field.write(common, tag, &self) }
        }
    }

    // MARK: - Parts of a line

    mutating func name(_ tag: PlaylistTag) {
        bytes.append(.numberSign)
        tag.definition.name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Writes text with its line ends percent-encoded.
    mutating func append(_ text: String) {
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

    mutating func endLine() { bytes.append(.lineFeed) }
}
