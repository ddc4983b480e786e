/// A set of byte ranges of a representation, usually the cached ones. The ranges between them are holes.
package struct SpanMap: Sendable, Hashable {
    private var ranges = RangeSet<Int64>()

    /// The number of bytes in the spans.
    package private(set) var byteCount: Int64 = 0

    package init() {}

    package init(_ spans: some Sequence<Range<Int64>>) {
        self.init()
        for span in spans { insert(span) }
    }

    /// The spans in ascending order. None is empty, and no two are adjacent.
    package var spans: RangeSet<Int64>.Ranges { ranges.ranges }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The end of the last span; 0 if there is none.
    package var upperBound: Int64 { ranges.ranges.last?.upperBound ?? 0 }

    /// Adds a span and joins it with adjacent spans.
    package mutating func insert(_ span: Range<Int64>) {
        guard !span.isEmpty else { return }
        byteCount += Int64(span.count) - bytes(in: span)
        ranges.insert(contentsOf: span)
    }

    package mutating func remove(_ hole: Range<Int64>) {
        guard !hole.isEmpty else { return }
        byteCount -= bytes(in: hole)
        ranges.remove(contentsOf: hole)
    }

    /// Returns the span that contains the byte at `offset`; nil if the byte is missing.
    package func span(at offset: Int64) -> Range<Int64>? {
        let index = firstIndex(endingAfter: offset)
        guard index < spans.count, spans[index].lowerBound <= offset else { return nil }
        return spans[index]
    }

    /// Returns the rest of the hole at `offset`, at most up to `limit`; nil if the byte is cached or not below `limit`.
    package func hole(at offset: Int64, limit: Int64) -> Range<Int64>? {
        let index = firstIndex(endingAfter: offset)
        guard index < spans.count else { return offset < limit ? offset..<limit : nil }
        let next = spans[index].lowerBound
        return next <= offset || offset >= limit ? nil : offset..<min(next, limit)
    }

    /// Returns the missing parts of `range`.
    package func holes(in range: Range<Int64>) -> [Range<Int64>] {
        var holes: [Range<Int64>] = []
        var position = range.lowerBound
        for span in spans(in: range) + [range.upperBound..<range.upperBound] {
            if position < span.lowerBound { holes.append(position..<span.lowerBound) }
            position = span.upperBound
        }
        return holes
    }

    package func contains(_ range: Range<Int64>) -> Bool {
        range.isEmpty || (span(at: range.lowerBound).map { $0.upperBound >= range.upperBound } ?? false)
    }

    /// Returns the number of cached bytes in `range`.
    package func bytes(in range: Range<Int64>) -> Int64 {
        spans(in: range).reduce(0) { $0 + Int64($1.count) }
    }

    /// Returns the cached parts of `range`.
    package func spans(in range: Range<Int64>) -> [Range<Int64>] {
        spans[firstIndex(endingAfter: range.lowerBound)...]
            .prefix { $0.lowerBound < range.upperBound }.map { $0.clamped(to: range) }
    }

    private func firstIndex(endingAfter offset: Int64) -> Int {
        var low = 0
        var high = spans.count
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].upperBound > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension SpanMap {
    /// The encoded spans: for each, the distance from the previous one and the length, as base-128 varints.
    package var encoded: [UInt8] {
        var writer = VarintWriter()
        var end: Int64 = 0
        for span in spans {
            writer.write(UInt64(span.lowerBound - end))
            writer.write(UInt64(span.upperBound - span.lowerBound))
            end = span.upperBound
        }
        return writer.bytes
    }

    /// Decodes ``encoded``; returns nil if the data is damaged.
    package init?(encoded: some Collection<UInt8>) {
        self.init()
        var reader = VarintReader(Array(encoded))
        var end: Int64 = 0
        while !reader.isAtEnd {
            guard let gap = reader.read(), let count = reader.read(), count > 0,
                gap <= UInt64(Int64.max - end), count <= UInt64(Int64.max - end) - gap
            else { return nil }
            let start = end + Int64(gap)
            end = start + Int64(count)
            insert(start..<end)
        }
    }
}
