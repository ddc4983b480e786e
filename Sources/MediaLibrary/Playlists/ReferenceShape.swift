/// The form of a reference. Most forms can be resolved by joining strings, which is fast.
public enum ReferenceShape: Sendable, Hashable {
    /// `http://host/path` or `https://host/path` in normalized form. The authority ends before this offset in UTF-8.
    case absolute(authorityEnd: Int)
    /// `/path`.
    case rootRelative
    /// `path`, without dot segments (RFC 3986 §3.3).
    case relativePath
    /// Any other reference, which must be resolved according to RFC 3986 §5.2.
    case other

    /// Determines the form of a reference.
    public init(_ uri: String) {
        var uri = uri
        self = uri.withUTF8 { Self.shape($0) }
    }

    private static func shape(_ text: UnsafeBufferPointer<UInt8>) -> ReferenceShape {
        guard let first = text.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "."), isPlain(text) else {
            return .other
        }
        if first == UInt8(ascii: "/") {
            return text.count > 1 && text[1] == UInt8(ascii: "/") ? .other : .rootRelative
        }
        let colon = text.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        guard let colon, text[colon] == UInt8(ascii: ":") else { return .relativePath }
        return absolute(text, colon: colon)
    }

    private static func absolute(_ text: UnsafeBufferPointer<UInt8>, colon: Int) -> ReferenceShape {
        let scheme = text[..<colon]
        guard scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8),
            text[colon...].starts(with: "://".utf8), let end = text[(colon + 3)...].firstIndex(of: UInt8(ascii: "/"))
        else { return .other }
        let authority = text[(colon + 3)..<end]
        // Upper case, user information and default ports require normalization.
        let isPlain = authority.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
        }
        guard isPlain, !authority.isEmpty else { return .other }
        if let port = authority.firstIndex(of: UInt8(ascii: ":")) {
            let digits = authority[(port + 1)...]
            guard digits.count > 3 || (digits.count == 3 && !digits.elementsEqual("443".utf8)), digits.first != 0x30,
                digits.count < 5 || (digits.count == 5 && !"65535".utf8.lexicographicallyPrecedes(digits)),
                digits.allSatisfy({ (0x30...0x39).contains($0) })
            else { return .other }
        }
        return .absolute(authorityEnd: end)
    }

    /// Returns whether text consists of plain URL characters, without fragment, dot segments or encoded dots.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var (previous, secondPrevious): (UInt8, UInt8) = (0, 0)
        for byte in text {
            if byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "\"") { return false }
            if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "@") { return false }
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return false }
            if byte | 0x20 == UInt8(ascii: "e"), previous == UInt8(ascii: "2"), secondPrevious == UInt8(ascii: "%") {
                return false
            }
            (previous, secondPrevious) = (byte, previous)
        }
        return true
    }
}
