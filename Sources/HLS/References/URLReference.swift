/// A URL or a relative reference, split into its five components (RFC 3986 §3).
///
/// Components aren't decoded, encoded or normalized. Spaces, non-ASCII characters and invalid escapes, which real
/// playlists contain, reach the server unchanged. Only blanks around the whole reference are removed.
public struct URLReference: Sendable, Hashable, CustomStringConvertible {
    /// The scheme without the colon; nil for a relative reference.
    public var scheme: String?
    /// The text between `//` and the path, including user information and port; nil if there is no `//`.
    public var authority: String?
    /// The path, which may be empty.
    public var path: String
    /// The query without the question mark; nil if there is none.
    public var query: String?
    /// The fragment without the number sign; nil if there is none.
    public var fragment: String?

    /// Splits a reference into its components. Any text is valid (RFC 3986, appendix B).
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

    /// The form of a reference (RFC 3986 §4.2).
    public enum Form: Sendable, Hashable {
        /// A reference with a scheme: `https://host/path`.
        case absolute
        /// A reference with an authority but no scheme: `//host/path`.
        case networkPath
        /// A path from the root: `/path`.
        case rootRelative
        /// A path relative to the folder of the base: `path`, `../path`, `?query`.
        case relativePath
    }

    /// The form of the reference (RFC 3986 §4.2).
    public var form: Form {
        if scheme != nil { return .absolute }
        if authority != nil { return .networkPath }
        return path.utf8.first == .slash ? .rootRelative : .relativePath
    }

    /// Returns the form of a reference (RFC 3986 §4.2).
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

    /// The reference, recomposed from its components (RFC 3986 §5.3).
    public var description: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    /// Returns the position of the colon after a scheme (RFC 3986 §3.1).
    private static func schemeEnd<Bytes: Collection>(_ utf8: Bytes) -> Bytes.Index? where Bytes.Element == UInt8 {
        guard let first = utf8.first, first.isLetter else { return nil }
        let end = utf8.firstIndex { byte in
            !(byte.isLetter || byte.isDigit || byte == .plus || byte == .minus || byte == .dot)
        }
        return end.flatMap { utf8[$0] == .colon ? $0 : nil }
    }
}

// MARK: - Resolution

extension URLReference {
    /// Returns the target of a reference relative to a base; see ``resolved(against:)``.
    public static func resolve(_ reference: String, against base: String) -> String {
        URLReference(reference).resolved(against: URLReference(base)).description
    }

    /// Returns the target of the reference relative to a base (RFC 3986 §5.2.2, strict). The target has no scheme if
    /// neither the reference nor the base has one.
    public func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil {
            // Dot segments are removed only from a rooted path. `urn:a/../b` is opaque.
            if authority != nil || path.utf8.first == .slash { target.path = URLReference.removingDotSegments(path) }
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = URLReference.removingDotSegments(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == .slash {
            target.path = URLReference.removingDotSegments(path)
        } else {
            target.path = URLReference.removingDotSegments(base.merged(with: path))
        }
        return target
    }

    /// Returns the path up to its last slash, followed by `reference` (RFC 3986 §5.2.3).
    private func merged(with reference: String) -> String {
        if authority != nil, path.isEmpty { return "/" + reference }
        guard let slash = path.utf8.lastIndex(of: .slash) else { return reference }
        return String(path[...slash]) + reference
    }

    /// Returns a path without its dot segments (RFC 3986 §5.2.4).
    static func removingDotSegments(_ path: String) -> String {
        let input = Array(path.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var index = 0
        while index < input.count {
            let isRooted = input[index] == .slash
            let start = isRooted ? index + 1 : index
            let end = input[start...].firstIndex(of: .slash) ?? input.count
            let segment = input[start..<end]
            let isLast = end == input.count
            let isParent = segment.elementsEqual([.dot, .dot])
            let isDots = isParent || segment.elementsEqual([.dot])
            if !isDots {
                output.append(contentsOf: input[index..<end])
            } else if isRooted {
                if isParent { while let last = output.popLast(), last != .slash {} }
                if isLast { output.append(.slash) }
            }
            // A leading `./` or `../` is removed with its slash (rule A).
            index = !isRooted && !isLast && isDots ? end + 1 : end
        }
        return String(decoding: output, as: UTF8.self)
    }
}
