extension MediaType {
    /// A parsed media type (RFC 9110 §8.3.1).
    package struct Parsed: Sendable, Hashable {
        /// `type/subtype` in lower case.
        package var essence: String
        /// The well-formed parameters, with lower-case names and unquoted values. If a name is repeated, the first
        /// value is used.
        package var parameters: [String: String]
    }

    /// The maximum length of a `Content-Type` field value in bytes.
    private static let maximumFieldLength = 1024

    /// Parses the value of a `Content-Type` field. Skips malformed parameters. Returns nil for an invalid type or
    /// subtype, a list (also from repeated fields), a control character, an unterminated quote, or an overlong value.
    package static func parse(_ text: String) -> Parsed? {
        let bytes = Array(text.utf8)
        let isPrintable = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
        guard bytes.count <= maximumFieldLength, isPrintable, let sections = sections(bytes) else { return nil }
        let names = sections[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isTokenByte) }) else { return nil }
        var parsed = Parsed(essence: String(decoding: sections[0], as: UTF8.self).lowercased(), parameters: [:])
        for section in sections.dropFirst() {
            guard let (name, value) = parameter(section), parsed.parameters[name] == nil else { continue }
            parsed.parameters[name] = value
        }
        return parsed
    }

    /// Returns whether a byte may be part of a token (RFC 9110 §5.6.2).
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Splits at semicolons outside quotes, and trims spaces and tabs. Returns nil if a comma makes the value a list,
    /// or a quote is unterminated.
    private static func sections(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        var sections: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\") where isQuoted: index += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: return nil
            case UInt8(ascii: ";") where !isQuoted:
                sections.append(trimmed(bytes[start..<index]))
                start = index + 1
            default: break
            }
            index += 1
        }
        return isQuoted ? nil : sections + [trimmed(bytes[start...])]
    }

    private static func parameter(_ section: ArraySlice<UInt8>) -> (name: String, value: String)? {
        guard let equals = section.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let value = section[(equals + 1)...]
        guard equals > section.startIndex, section[..<equals].allSatisfy(isTokenByte) else { return nil }
        let name = String(decoding: section[..<equals], as: UTF8.self).lowercased()
        if value.first != UInt8(ascii: "\"") {
            guard !value.isEmpty, value.allSatisfy(isTokenByte) else { return nil }
            return (name, String(decoding: value, as: UTF8.self))
        }
        var content: [UInt8] = []
        var index = value.startIndex + 1
        while index < value.endIndex, value[index] != UInt8(ascii: "\"") {
            if value[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < value.endIndex else { return nil }
            content.append(value[index])
            index += 1
        }
        guard index == value.endIndex - 1 else { return nil }
        return (name, String(decoding: content, as: UTF8.self))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.trimmed { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
