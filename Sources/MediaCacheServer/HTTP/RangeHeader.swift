package import MediaCache

/// The value of a `Range` header field (RFC 9110 §14.2): a unit and the parts asked for.
///
/// White space is allowed around the commas of a list, and nowhere else (§14.1.2): anywhere else it makes the field malformed.
/// Among good parts, one that isn't a range at all is passed over; a part that ends before it starts makes the whole set
/// unsatisfiable, as nginx and Go have it.
package struct RangeHeader: Sendable, Hashable {
    /// What a range set means in a resource of known length.
    package enum Resolution: Sendable, Hashable {
        /// At least one part lies in the resource. In the order asked for.
        case satisfiable([Range<Int64>])
        /// No part does: 416 (RFC 9110 §15.5.17).
        case unsatisfiable
    }

    /// The range unit in lower case. Only `bytes` means anything to this server.
    package let unit: String
    /// The parts in the order asked for.
    package let parts: [RequestedRange]
    /// Whether a part ends before it starts.
    package let hasReversedPart: Bool

    /// The most parts that are looked at. More than that is an attack or a mistake, and the field is ignored.
    package static let maximumParts = 256

    /// Parses a field value; nil if it is malformed and must be ignored.
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
            let element = Self.trim(place)
            // Nothing but an empty element may follow white space behind the equals sign.
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

    /// What the parts mean in a resource of `length` bytes. Parts that lie outside are left out.
    package func resolved(in length: Int64) -> Resolution {
        guard !hasReversedPart else { return .unsatisfiable }
        let ranges = parts.compactMap { $0.resolved(in: length) }.filter { !$0.isEmpty }
        return ranges.isEmpty ? .unsatisfiable : .satisfiable(ranges)
    }

    /// `ranges` with those that overlap or touch made one, each where the first of them stood (RFC 9110 §15.3.7.2).
    package static func coalesced(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges {
            var merged = range
            var position = result.count
            var index = 0
            while index < result.count {
                let other = result[index]
                if other.lowerBound <= merged.upperBound, merged.lowerBound <= other.upperBound {
                    merged = min(other.lowerBound, merged.lowerBound)..<max(other.upperBound, merged.upperBound)
                    result.remove(at: index)
                    position = min(position, index)
                    index = 0
                } else {
                    index += 1
                }
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

    /// Digits alone; what doesn't fit is the greatest offset there can be.
    private static func number(_ text: Substring.UTF8View) -> Int64? {
        guard !text.isEmpty else { return nil }
        // One less than the greatest integer, so that one more can be counted past the last byte.
        let ceiling = Int64.max - 1
        var value: Int64 = 0
        for byte in text {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowAgain) = product.addingReportingOverflow(Int64(byte - 0x30))
            value = overflow || overflowAgain ? ceiling : min(sum, ceiling)
        }
        return value
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trim(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text
        while let first = text.first, isSpace(first) { text = text.dropFirst() }
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return text
    }
}
