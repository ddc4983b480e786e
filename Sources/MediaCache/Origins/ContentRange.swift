/// A `Content-Range` field (RFC 9110 §14.4).
package struct ContentRange: Sendable, Hashable {
    /// The largest length and the largest end that an origin may state: 1 PiB, which no file system's file exceeds by
    /// much. Offsets below it can be added to and rounded up without an overflow.
    static let maximumLength: Int64 = 1 << 50

    /// The bytes that the body holds; nil for the unsatisfied form `bytes */N`.
    package var range: Range<Int64>?
    /// The complete length; nil if it's `*`.
    package var completeLength: Int64?

    package init(range: Range<Int64>?, completeLength: Int64?) {
        self.range = range
        self.completeLength = completeLength
    }

    /// The field value, or nil where there is nothing to say.
    package var fieldValue: String? {
        switch (range, completeLength) {
        case (let range?, let length):
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length.map { "\($0)" } ?? "*")"
        case (nil, let length?): "bytes */\(length)"
        case (nil, nil): nil
        }
    }

    /// Reads a field value, or nil if it isn't one: another unit, a last byte before the first, one past the complete
    /// length, or a length or an end above ``maximumLength``.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let length = Self.number(parts[1]) else { return nil }
            completeLength = length
        }
        guard parts[0] != "*" else {
            guard completeLength != nil else { return nil }
            return
        }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]),
            first <= last, last < Self.maximumLength, completeLength.map({ last < $0 }) ?? true
        else { return nil }
        range = first..<last + 1
    }

    private static func number(_ digits: Substring) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits).flatMap { $0 <= maximumLength ? $0 : nil }
    }
}
