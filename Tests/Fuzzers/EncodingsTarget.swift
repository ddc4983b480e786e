@testable import MediaCache

extension FuzzTarget {
    /// Spans, checksums, and the encodings of both and of numbers and text. The first byte selects a check.
    static let encodings = FuzzTarget(name: "encodings") {
        var writer = VarintWriter()
        writer.write(1 << 40)
        writer.write(signed: -1)
        writer.write("segment-1.ts")
        writer.write("segment-2.ts", after: "segment-1.ts")
        writer.write(fixed: 7)
        var checksums = BlockChecksums()
        let content = [UInt8](repeating: 5, count: 70_000)
        for record in content.withUnsafeBytes({ BlockChecksums.records(of: $0, at: 1000) }) { checksums.insert(record) }
        return [
            [0] + SpanMap([0..<10, 20..<1 << 40, (1 << 41)..<(1 << 41) + 5]).encoded,
            [1, 0, 10, 1, 20, 30, 1, 5, 25, 0, 10, 20, 1],
            [2] + writer.bytes,
            [3] + [UInt8](repeating: 0, count: 8) + (checksums.allPages()[0] ?? []),
            [4, 16, 32] + content.prefix(100),
        ]
    } check: { bytes in
        let content = bytes.dropFirst()
        return switch bytes.first.map({ $0 % 5 }) {
        case nil: nil
        case 0: spanMapProblem(content)
        case 1: spanChangesProblem(content)
        case 2: varintProblem(Array(content))
        case 3: checksumPageProblem(content)
        default: checksumProblem(content)
        }
    }

    /// Decodes spans, which must have the properties of a map and survive encoding.
    private static func spanMapProblem(_ encoded: ArraySlice<UInt8>) -> String? {
        guard let map = SpanMap(encoded: encoded) else { return nil }
        guard SpanMap(encoded: map.encoded) == map else { return "The spans \(map.spans) are decoded differently." }
        var end: Int64 = -1
        var count: Int64 = 0
        for span in map.spans {
            guard span.lowerBound > end, !span.isEmpty else { return "The span \(span) isn't separate." }
            end = span.upperBound
            count += span.upperBound - span.lowerBound
        }
        return problem(
            "The byte count of \(map.spans) is \(map.byteCount) instead of \(count).", unless: map.byteCount == count)
    }

    /// Adds and removes spans, and compares the map with a set. A change consists of three bytes: start, length, kind.
    private static func spanChangesProblem(_ changes: ArraySlice<UInt8>) -> String? {
        var map = SpanMap()
        var model: Set<Int64> = []
        var rest = changes.prefix(300)
        while rest.count >= 3 {
            let change = Array(rest.prefix(3)).map { Int64($0) }
            rest = rest.dropFirst(3)
            let range = change[0]..<change[0] + change[1]
            if change[2] % 3 == 0 { map.remove(range) } else { map.insert(range) }
            if change[2] % 3 == 0 { model.subtract(range) } else { model.formUnion(range) }
        }
        guard map.byteCount == model.count, map.upperBound == (model.max() ?? -1) + 1 else {
            return "The spans \(map.spans) of \(map.byteCount) bytes differ from the set of \(model.count) bytes."
        }
        guard SpanMap(encoded: map.encoded) == map else { return "The spans \(map.spans) are decoded differently." }
        let limit: Int64 = 512
        for offset in 0..<limit {
            let next = (offset..<limit).first { model.contains($0) } ?? limit
            guard (map.span(at: offset) != nil) == model.contains(offset),
                map.hole(at: offset, limit: limit) == (next > offset ? offset..<next : nil)
            else { return "The byte \(offset) is wrong in \(map.spans)." }
        }
        let holes = map.holes(in: 0..<limit).reduce(0) { $0 + $1.count }
        return problem("The holes have \(holes) bytes.", unless: holes == Int(limit) - model.count)
    }

    /// Reads values, which must survive writing.
    private static func varintProblem(_ bytes: [UInt8]) -> String? {
        var reader = VarintReader(bytes)
        var previous = "segment-1.ts"
        while !reader.isAtEnd {
            var writer = VarintWriter()
            guard let kind = reader.read() else { return nil }
            switch kind % 5 {
            case 0:
                guard let value = reader.read() else { return nil }
                writer.write(value)
                var copy = VarintReader(writer.bytes)
                guard copy.read() == value, copy.isAtEnd else { return "\(value) is decoded differently." }
            case 1:
                guard let value = reader.readSigned() else { return nil }
                writer.write(signed: value)
                var copy = VarintReader(writer.bytes)
                guard copy.readSigned() == value, copy.isAtEnd else { return "\(value) is decoded differently." }
            case 2:
                guard let value = reader.readText() else { return nil }
                writer.write(value)
                var copy = VarintReader(writer.bytes)
                guard copy.readText() == value, copy.isAtEnd else { return "“\(value)” is decoded differently." }
                previous = value
            case 3:
                guard let value = reader.readText(after: previous) else { return nil }
                writer.write(value, after: previous)
                var copy = VarintReader(writer.bytes)
                guard copy.readText(after: previous) == value, copy.isAtEnd else {
                    return "“\(value)” after “\(previous)” is decoded differently."
                }
                previous = value
            default:
                guard let value = reader.readFixed() else { return nil }
                writer.write(fixed: value)
                var copy = VarintReader(writer.bytes)
                guard copy.readFixed() == value, copy.isAtEnd else { return "\(value) is decoded differently." }
            }
        }
        return nil
    }

    /// Decodes a page number and the page of checksums that follows it. The page must survive encoding.
    private static func checksumPageProblem(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count >= 8 else { return nil }
        let page = Int64(bitPattern: bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        var checksums = BlockChecksums(encodedPages: [page: Array(bytes.dropFirst(8))])
        let encoded = checksums.allPages()
        var copy = BlockChecksums(encodedPages: encoded)
        guard copy.allPages() == encoded else { return "The page \(page) is decoded differently." }
        guard (0..<Int64.max / BlockChecksums.pageSize).contains(page) else { return nil }
        let range = page * BlockChecksums.pageSize..<(page + 1) * BlockChecksums.pageSize
        let records = checksums.records(in: range)
        guard copy.records(in: range) == records else { return "The records of page \(page) are decoded differently." }
        for record in records {
            let block = record.range.lowerBound / BlockChecksums.blockSize
            guard !record.range.isEmpty, (record.range.upperBound - 1) / BlockChecksums.blockSize == block else {
                return "The record \(record) isn't in one block."
            }
        }
        _ = checksums.remove(range)
        return problem("Some records of page \(page) remain.", unless: checksums.records(in: range).isEmpty)
    }

    /// Divides bytes at two places, and compares the checksums of the parts with those of the whole.
    private static func checksumProblem(_ bytes: ArraySlice<UInt8>) -> String? {
        let content = Array(bytes.dropFirst(2))
        let cuts = bytes.prefix(2).map { min(Int($0), content.count) }.sorted()
        guard cuts.count == 2 else { return nil }
        // The first cut is at a block boundary, so that even short inputs cross one.
        let start = BlockChecksums.blockSize - Int64(cuts[0])
        var (whole, parts) = (BlockChecksums(), BlockChecksums())
        content.withUnsafeBytes { buffer in
            for record in BlockChecksums.records(of: buffer, at: start) { whole.insert(record) }
            for part in [cuts[1]..<content.count, 0..<cuts[0], cuts[0]..<cuts[1]] {
                let piece = UnsafeRawBufferPointer(rebasing: buffer[part])
                for record in BlockChecksums.records(of: piece, at: start + Int64(part.lowerBound)) {
                    parts.insert(record)
                }
            }
        }
        let range = start..<start + Int64(content.count)
        return problem("The parts have other checksums.", unless: whole.records(in: range) == parts.records(in: range))
    }
}
