extension PlaylistDocument {
    /// One line.
    public struct Line: Sendable, Hashable {
        /// What ends a line.
        public enum Ending: String, Sendable, Hashable {
            /// LF.
            case lineFeed = "\n"
            /// CRLF.
            case carriageReturnLineFeed = "\r\n"
            /// CR, which the RFC doesn't know.
            case carriageReturn = "\r"
            /// Nothing: the document's end.
            case none = ""

            init(_ bytes: Slice<UnsafeRawBufferPointer>) {
                self = Ending(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .none
            }
        }

        /// What stands on the line.
        public var content: Content
        /// What ends it.
        public var ending: Ending

        /// A line.
        public init(_ content: Content, ending: Ending = .lineFeed) {
            self.content = content
            self.ending = ending
        }
    }
}

extension PlaylistDocument.Line {
    /// What stands on a line.
    public enum Content: Sendable, Hashable {
        /// A tag without a colon.
        case tag(name: String)
        /// A tag with an attribute list (RFC 8216bis, section 4.2).
        case attributes(name: String, AttributeList)
        /// A tag with a value of any other kind.
        case value(name: String, String)
        /// A URI.
        case uri(String)
        /// A comment or a blank line, and what isn't UTF-8.
        case other([UInt8])

        /// Takes a line apart as far as it can be put together again.
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
            let name = String(playlistBytes: bytes.part(1, colon))
            let list = AttributeList(bytes, (colon + 1)..<bytes.count, substituting: nil)
            let attributes = Content.attributes(name: name, list)
            if !list.attributes.isEmpty, attributes.bytes.elementsEqual(bytes) { return attributes }
            return .value(name: name, String(playlistBytes: bytes.part(colon + 1, bytes.count)))
        }

        /// The line's bytes, less what ends it.
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
