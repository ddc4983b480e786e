/// A variable of a playlist, the value of `--define`: `NAME=VALUE`. The value can be empty.
struct VariableArgument: Sendable, Hashable {
    var name: String
    var value: String

    init(parsing text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw ArgumentTextError("“\(text)” has no value; write it as NAME=VALUE")
        }
        name = String(text[..<equals])
        value = String(text[text.index(after: equals)...])
        // The characters of a name (RFC 8216bis §4.4.2.3).
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard isName, !name.isEmpty else {
            throw ArgumentTextError("“\(name)” is not a variable name; use letters, digits, - and _")
        }
    }
}
