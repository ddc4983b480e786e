/// A variable's value, as `--define` takes it.
struct VariableArgument: Sendable, Hashable {
    /// The name.
    var name: String
    /// The value; it may be empty.
    var value: String

    /// Reads `NAME=VALUE`.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw ArgumentTextError("“\(text)” gives a variable no value; write it as NAME=VALUE")
        }
        name = String(text[..<equals])
        value = String(text[text.index(after: equals)...])
        // RFC 8216bis, section 4.4.2.3.
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isName, !name.isEmpty else {
            throw ArgumentTextError("“\(name)” is no name of a variable: letters, digits, - and _ may stand in one")
        }
    }
}
