/// The value of a `Range` header field (RFC 9110 §14.2): a unit and the requested parts.
///
/// White space is allowed around the commas of a list and at the end; anywhere else, it makes the field malformed
/// (§14.1.1). A part that isn't a range is ignored if other parts are valid. A part that ends before it starts makes
/// the whole set unsatisfiable, as in Go.
package struct RangeHeader: Sendable, Hashable {
    /// The range unit in lower case. The server supports only `bytes`.
    package let unit: String
    /// The parts in the order of the request.
    package let parts: [RequestedRange]
    /// Whether a part ends before it starts.
    package let hasReversedPart: Bool

    /// The maximum number of parts, including empty and invalid ones. A field with more is an attack or a mistake, and
    /// is ignored.
    package static let maximumParts = 256

    /// Parses a field value. Returns nil if the field must be ignored: if it's malformed, or has no valid part or too
    /// many parts.
    package init?(_ text: String) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let unit = text.utf8[..<equals]
        guard !unit.isEmpty, unit.allSatisfy(MediaType.isTokenByte) else { return nil }
        self.unit = String(Substring(unit)).lowercased()

        var parts: [RequestedRange] = []
        var reversed = false
        var rest = text.utf8[text.utf8.index(after: equals)...]
        var seen = 0
        while true {
            let comma = rest.firstIndex(of: UInt8(ascii: ","))
            let place = rest[..<(comma ?? rest.endIndex)]
            let element = place.trimmed(where: Self.isSpace)
            // White space after the equals sign is allowed only before an empty element.
            if seen == 0, !element.isEmpty, element.startIndex != place.startIndex { return nil }
            seen += 1
            guard seen <= Self.maximumParts, !element.contains(where: Self.isSpace) else { return nil }
            if let part = Self.parsePart(element) {
                parts.append(part)
                if case .closed(let first, let last) = part, last < first { reversed = true }
            }
            guard let comma else { break }
            rest = rest[rest.index(after: comma)...]
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
        self.hasReversedPart = reversed
    }

    /// Returns the ranges of the parts within a resource of `length` bytes, in the order of the request; nil if the set
    /// is unsatisfiable, so that the response is 416 (RFC 9110 §15.5.17).
    package func resolved(in length: Int64) -> [Range<Int64>]? {
        guard !hasReversedPart else { return nil }
        let ranges = parts.compactMap { $0.resolved(in: length) }
        return ranges.isEmpty ? nil : ranges
    }

    /// Merges overlapping and adjacent ranges at the position of the first of them (RFC 9110 §15.3.7.2).
    package static func coalesced(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges {
            var merged = range
            var position = result.count
            while let index = result.firstIndex(where: {
                $0.lowerBound <= merged.upperBound && merged.lowerBound <= $0.upperBound
            }) {
                let other = result.remove(at: index)
                merged = min(other.lowerBound, merged.lowerBound)..<max(other.upperBound, merged.upperBound)
                position = min(position, index)
            }
            result.insert(merged, at: min(position, result.count))
        }
        return result
    }

    private static func parsePart(_ text: Substring.UTF8View) -> RequestedRange? {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let first = text[..<dash]
        let last = text[text.index(after: dash)...]
        if first.isEmpty { return number(last).map { .suffix($0) } }
        guard let start = number(first) else { return nil }
        if last.isEmpty { return .from(start) }
        return number(last).map { .closed(start, through: $0) }
    }

    /// Parses decimal digits as a number, clamped to the largest valid offset.
    private static func number(_ text: Substring.UTF8View) -> Int64? {
        let digits = Substring(text)
        guard digits.isDecimal else { return nil }
        // One less than `Int64.max`, so that the offset after the last byte can be represented.
        return min(Int64(digits) ?? .max, .max - 1)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
