@testable import MediaCache

extension FuzzTarget {
    /// The values of a player's `Range` and an origin's `Content-Range`.
    static let ranges = FuzzTarget(name: "ranges") {
        [
            "bytes=0-499", "bytes=500-", "bytes=-500", "bytes=0-0 ,\t-1,5-4", "items=0-5", "bytes 0-499/1234",
            "bytes */47",
            "bytes 1-2/*", "bytes=18446744073709551616-",
        ].map { Array($0.utf8) }
    } check: { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        return headerProblem(text) ?? contentProblem(text)
    }

    private static func headerProblem(_ text: String) -> String? {
        guard let header = RangeHeader(text) else { return nil }
        guard (1...RangeHeader.maximumParts).contains(header.parts.count) else {
            return "The set has \(header.parts.count) parts."
        }
        for part in header.parts where header.unit == "bytes" {
            guard RangeHeader(part.fieldValue)?.parts == [part] else { return "\(part) is written differently." }
        }
        for length in [0, 1, 10, 1000, ContentRange.maximumLength, .max] {
            guard let ranges = header.resolved(in: length) else { continue }
            for range in ranges where range.isEmpty || range.lowerBound < 0 || range.upperBound > length {
                return "The range \(range) is empty or outside of \(length) bytes."
            }
            let merged = RangeHeader.coalesced(ranges)
            guard SpanMap(merged) == SpanMap(ranges) else { return "The merged ranges have other bytes." }
            guard merged.count == SpanMap(ranges).spans.count else { return "Some ranges aren't merged." }
        }
        return nil
    }

    private static func contentProblem(_ text: String) -> String? {
        guard let content = ContentRange(text) else { return nil }
        guard let value = content.fieldValue, ContentRange(value) == content else {
            return "\(content) is written differently."
        }
        guard let range = content.range else { return nil }
        let limit = content.completeLength ?? ContentRange.maximumLength
        return problem(
            "The range \(range) is empty or outside of \(limit) bytes.",
            unless: !range.isEmpty && range.lowerBound >= 0 && range.upperBound <= limit)
    }
}
