/// A scanner of the attributes in a list's bytes (RFC 8216bis §4.2). It accepts violations found in real playlists:
/// blanks around commas and equals signs, a quoted string without a closing quote, a name without a value, and empty
/// items.
struct AttributeListScanner {
    struct Item {
        var name: Range<Int>
        /// The value without its quotes.
        var value: Range<Int>
        var isQuoted: Bool
        /// Whether the item violates the grammar, so that the name and the value are guesses.
        var isMalformed: Bool
    }

    private let bytes: UnsafeRawBufferPointer
    /// The end of the last item, including any text after its closing quote.
    private(set) var position: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// Returns whether all players split the list identically. The list must follow the grammar and contain no
    /// backslash, which FFmpeg and VLC treat as an escape character.
    static func isUnambiguous(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        guard !bytes[range].contains(UInt8(ascii: "\\")) else { return false }
        var items = AttributeListScanner(bytes, range)
        while let item = items.next() {
            guard !item.isMalformed, bytes[item.name].allSatisfy(\.isAttributeNameCharacter),
                item.isQuoted || !bytes[item.value].contains(where: { $0 == .quote || $0 == .equals || $0.isBlank })
            else { return false }
        }
        return true
    }

    mutating func next() -> Item? {
        while position < end, bytes[position] == .comma || bytes[position].isBlank { position += 1 }
        guard position < end else { return nil }
        let nameStart = position
        while position < end, bytes[position] != .equals, bytes[position] != .comma { position += 1 }
        let name = bytes.trimmed(nameStart, position)
        let isOddName = name.isEmpty || name != nameStart..<position
        guard position < end, bytes[position] == .equals else {
            return Item(name: name, value: position..<position, isQuoted: false, isMalformed: true)
        }
        position += 1
        let valueStart = position
        while position < end, bytes[position].isBlank { position += 1 }
        let isOdd = isOddName || position != valueStart
        return position < end && bytes[position] == .quote
            ? quoted(name, isOdd) : unquoted(name, isOdd)
    }

    private mutating func quoted(_ name: Range<Int>, _ isOdd: Bool) -> Item {
        let start = position + 1
        guard let close = bytes.first(.quote, from: start, to: end) else {
            position = end
            return Item(name: name, value: start..<end, isQuoted: true, isMalformed: true)
        }
        position = close + 1
        let comma = bytes.first(.comma, from: position, to: end) ?? end
        let hasRest = comma != position
        position = comma
        return Item(name: name, value: start..<close, isQuoted: true, isMalformed: isOdd || hasRest)
    }

    private mutating func unquoted(_ name: Range<Int>, _ isOdd: Bool) -> Item {
        let comma = bytes.first(.comma, from: position, to: end) ?? end
        let value = bytes.trimmed(position, comma)
        let isMalformed = isOdd || value.isEmpty || value.upperBound != comma
        position = comma
        return Item(name: name, value: value, isQuoted: false, isMalformed: isMalformed)
    }
}
