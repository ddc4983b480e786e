/// A URL or a relative reference, split into its five components as RFC 3986, section 3, describes, and resolved as
/// section 5.2 does.
///
/// Nothing is decoded, encoded or put in order: a component is the text that stood there, so that spaces, characters
/// beyond ASCII and odd escapes of real playlists reach the server as their author wrote them. Only blanks around the
/// whole reference are dropped.
public struct URLReference: Sendable, Hashable, CustomStringConvertible {
    /// The scheme without its colon; nil in a relative reference.
    public var scheme: String?
    /// What stands between `//` and the path, user information and port included; nil where there is no `//`.
    public var authority: String?
    /// The path, empty or not.
    public var path: String
    /// The query without its question mark; nil where there is none.
    public var query: String?
    /// The fragment without its number sign; nil where there is none.
    public var fragment: String?

    /// Splits a reference. Every text is one: the grammar of RFC 3986, appendix B, matches anything.
    public init(_ text: String) {
        var utf8 = Substring(text.trimmedBlanks).utf8
        if let mark = utf8.firstIndex(of: .numberSign) {
            fragment = String(Substring(utf8[utf8.index(after: mark)...]))
            utf8 = utf8[..<mark]
        }
        if let mark = utf8.firstIndex(of: .question) {
            query = String(Substring(utf8[utf8.index(after: mark)...]))
            utf8 = utf8[..<mark]
        }
        if let colon = URLReference.schemeEnd(utf8) {
            scheme = String(Substring(utf8[..<colon]))
            utf8 = utf8[utf8.index(after: colon)...]
        }
        if utf8.starts(with: [.slash, .slash]) {
            let rest = utf8.dropFirst(2)
            let end = rest.firstIndex(of: .slash) ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            utf8 = rest[end...]
        }
        path = String(Substring(utf8))
    }

    /// How a reference is written.
    public enum Form: Sendable, Hashable {
        /// With a scheme: `https://host/path`.
        case absolute
        /// With an authority and no scheme: `//host/path`.
        case networkPath
        /// From the root: `/path`.
        case rootRelative
        /// From the base's folder: `path`, `../path`, `?query`.
        case relativePath
    }

    /// How the reference is written (RFC 3986, section 4.2).
    public var form: Form {
        if scheme != nil { return .absolute }
        if authority != nil { return .networkPath }
        return path.utf8.first == .slash ? .rootRelative : .relativePath
    }

    /// How a reference is written, without splitting it.
    public static func form(of text: String) -> Form {
        var text = text
        return text.withUTF8 { utf8 in
            let reference = utf8.drop { $0.isBlank }
            if reference.first == .slash {
                return reference.dropFirst().first == .slash ? .networkPath : .rootRelative
            }
            return schemeEnd(reference) == nil ? .relativePath : .absolute
        }
    }

    /// The components put together again (RFC 3986, section 5.3).
    public var description: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// The colon after a scheme: a letter, then letters, digits, plus, minus and dot (RFC 3986, section 3.1).
    private static func schemeEnd<Bytes: Collection>(_ utf8: Bytes) -> Bytes.Index? where Bytes.Element == UInt8 {
        guard let first = utf8.first, first.isLetter else { return nil }
        let end = utf8.firstIndex { byte in
            !(byte.isLetter || byte.isDigit || byte == .plus || byte == .minus || byte == .dot)
        }
        return end.flatMap { utf8[$0] == .colon ? $0 : nil }
    }
}
