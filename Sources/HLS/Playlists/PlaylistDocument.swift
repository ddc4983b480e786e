/// The lines of a playlist, including comments, blanks and line ends. An unchanged document reproduces its bytes. Use a
/// document to edit single lines or an invalid playlist, and ``Playlist`` to work with the meaning of a playlist.
public struct PlaylistDocument: Sendable, Hashable {
    /// The lines in order.
    public var lines: [Line]
    private let hasByteOrderMark: Bool

    /// Creates a document from lines.
    public init(lines: [Line] = []) {
        self.lines = lines
        hasByteOrderMark = false
    }

    /// Creates a document from the bytes of a playlist, valid or not.
    public init(_ bytes: [UInt8]) {
        var lines: [Line] = []
        hasByteOrderMark = bytes.withUnsafeBytes { buffer in
            var scanner = LineScanner(buffer)
            while let line = scanner.next() {
                let ending = Line.Ending(rawValue: String(decoding: buffer[line.end..<line.next], as: UTF8.self))
                lines.append(Line(Line.Content(buffer.part(line.start..<line.end)), ending: ending ?? .none))
            }
            return LineScanner.hasByteOrderMark(buffer)
        }
        self.lines = lines
    }

    /// The document's bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : []
        for line in lines {
            bytes.append(contentsOf: line.content.bytes)
            bytes.append(contentsOf: line.ending.rawValue.utf8)
        }
        return bytes
    }
}

extension PlaylistDocument {
    /// A line of a document.
    public struct Line: Sendable, Hashable {
        /// The end of a line.
        public enum Ending: String, Sendable, Hashable {
            /// LF.
            case lineFeed = "\n"
            /// CRLF.
            case carriageReturnLineFeed = "\r\n"
            /// CR, which the RFC doesn't allow.
            case carriageReturn = "\r"
            /// No line end, at the end of the document.
            case none = ""
        }

        /// The content without the line end.
        public var content: Content
        /// The line end.
        public var ending: Ending

        /// Creates a line.
        public init(_ content: Content, ending: Ending = .lineFeed) {
            self.content = content
            self.ending = ending
        }
    }
}

extension PlaylistDocument.Line {
    /// The content of a line.
    public enum Content: Sendable, Hashable {
        /// A tag without a colon.
        case tag(name: String)
        /// A tag with an attribute list (RFC 8216bis §4.2).
        case attributes(name: String, AttributeList)
        /// A tag with any other kind of value.
        case value(name: String, String)
        /// A URI.
        case uri(String)
        /// A comment, a line that is blank or begins with a blank, or a line that isn't UTF-8.
        case other([UInt8])

        /// Parses a line. The result is ``other(_:)`` if the parsed line wouldn't reproduce the bytes.
        init(_ bytes: UnsafeRawBufferPointer) {
            let content = Content.parsed(bytes)
            self = content.bytes.elementsEqual(bytes) ? content : .other(Array(bytes))
        }

        private static func parsed(_ bytes: UnsafeRawBufferPointer) -> Content {
            let text = String(playlistBytes: bytes)
            guard let first = bytes.first, !first.isBlank else { return .other(Array(bytes)) }
            guard first == .numberSign else { return .uri(text) }
            guard bytes.has("#EXT", at: 0) else { return .other(Array(bytes)) }
            guard let colon = bytes.first(.colon, from: 0, to: bytes.count) else {
                return .tag(name: String(text.dropFirst()))
            }
            let name = String(playlistBytes: bytes.part(1..<colon))
            let list = AttributeList(bytes, (colon + 1)..<bytes.count, substituting: nil)
            let attributes = Content.attributes(name: name, list)
            if !list.attributes.isEmpty, attributes.bytes.elementsEqual(bytes) { return attributes }
            return .value(name: name, String(playlistBytes: bytes.part(colon + 1..<bytes.count)))
        }

        var bytes: [UInt8] {
            switch self {
            case .tag(let name): Array("#\(name)".utf8)
            case .attributes(let name, let list): Array("#\(name):\(list)".utf8)
            case .value(let name, let value): Array("#\(name):\(value)".utf8)
            case .uri(let uri): Array(uri.utf8)
            case .other(let bytes): bytes
            }
        }
    }
}
