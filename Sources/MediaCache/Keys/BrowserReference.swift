/// A URI reference as browsers parse it (WHATWG URL §4.4), rewritten so that RFC 3986 parses it in the same way.
///
/// References in playlists and `Location` fields may contain text that violates RFC 3986 or that browsers interpret
/// differently: backslashes, three slashes before a host, tabs, or percent-encoded dots. If they were resolved
/// differently than in the player, the result could be another resource, even on another host.
package struct BrowserReference {
    /// The reference in a form that RFC 3986 parses.
    package let text: String

    /// - Parameter baseScheme: The scheme of the base URL, `http` or `https`.
    package init(_ reference: String, baseScheme: String) {
        var reference = reference
        text = reference.withUTF8 { Self.rewritten($0, baseScheme) }
    }

    /// The scheme in lower case; nil for a relative reference.
    package var scheme: String? {
        Self.schemeEnd(text.utf8).map { Substring(text.utf8[..<$0]).lowercased() }
    }

    private static func rewritten(_ written: UnsafeBufferPointer<UInt8>, _ baseScheme: String) -> String {
        // Without control characters and spaces at both ends, and without tabs and line breaks anywhere.
        let bytes = written[...].trimmed { $0 <= 0x20 }.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let scheme = schemeEnd(bytes).map { String(decoding: bytes[..<$0], as: UTF8.self).lowercased() }
        if let scheme, scheme != "http", scheme != "https" {
            return String(decoding: bytes, as: UTF8.self)
        }
        let start = scheme.map { $0.utf8.count + 1 } ?? 0
        let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
        var path = bytes[start..<end].map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        let slashes = path.prefix { $0 == UInt8(ascii: "/") }.count
        var output: [UInt8] = []
        var authority = 0
        if slashes > 1 || (scheme != nil && scheme != baseScheme) {
            if let scheme { output += Array("\(scheme):".utf8) }
            output += Array("//".utf8)
            path.removeFirst(slashes)
            authority = path.firstIndex(of: UInt8(ascii: "/")) ?? path.count
        } else if scheme != nil, slashes == 0, !path.isEmpty {
            // Otherwise, a colon in the first segment would be parsed as the end of a scheme.
            output += Array("./".utf8)
        }
        output += path[..<authority]
        let segments = path[authority...].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        output += segments.map { dots($0) ?? $0 }.joined(separator: "/".utf8)
        output += bytes[end...]
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes a percent-encoded `.` or `..` segment; returns nil for any other segment.
    private static func dots(_ segment: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard segment.count <= 6, segment.contains(UInt8(ascii: "%")) else { return nil }
        return switch String(decoding: segment, as: UTF8.self).lowercased() {
        case "%2e": [UInt8(ascii: ".")]
        case "%2e%2e", ".%2e", "%2e.": [UInt8(ascii: "."), UInt8(ascii: ".")]
        default: nil
        }
    }

    /// Returns the index of the colon after the scheme; nil if the text doesn't begin with a scheme (RFC 3986 §3.1).
    static func schemeEnd<Bytes: Collection<UInt8>>(_ bytes: Bytes) -> Bytes.Index? {
        guard bytes.first?.isASCIILetter == true else { return nil }
        let end = bytes.firstIndex { !$0.isASCIILetter && !$0.isASCIIDigit && !"+-.".utf8.contains($0) }
        return end.flatMap { bytes[$0] == UInt8(ascii: ":") ? $0 : nil }
    }
}
