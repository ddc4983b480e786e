import HLS
import MediaCache
import TestSupport
import Testing

@testable import MediaLibrary

struct TimelinePageTests {
    private static func page(_ count: Int, seed: UInt64) -> TimelinePage {
        var random = SeededGenerator(seed: seed)
        return TimelinePage(
            first: Int64.random(in: 0...1 << 41, using: &random),
            discontinuities: Int64.random(in: 0...99, using: &random),
            segments: []
        ).filled(count, &random)
    }

    /// Returns bytes followed by their checksum.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var writer = VarintWriter()
        writer.write(fixed: bytes.withUnsafeBytes { CRC32C.extend(with: $0) })
        return bytes + writer.bytes
    }

    @Test func encodesAndDecodesEveryField() throws {
        for seed in 0..<60 as Range<UInt64> {
            let page = Self.page(1 + Int(seed * 17 % 256), seed: seed)
            #expect(TimelinePage(encoded: page.encoded) == page, "seed \(seed)")
        }
    }

    /// Pages of earlier formats lack overruns, arrivals, independence, lags and the origin's discontinuity numbers.
    @Test func decodesPagesOfEarlierFormats() throws {
        for seed in 0..<20 as Range<UInt64> {
            var page = Self.page(1 + Int(seed * 17 % 256), seed: seed)
            for index in page.segments.indices {
                page.segments[index].overrun = 0
                page.segments[index].arrival = nil
                page.segments[index].isIndependent = false
                page.segments[index].clockLag = nil
                page.segments[index].originDiscontinuity = nil
            }
            var mark = VarintWriter()
            mark.write(fixed: 0x4D43_5431)
            let earlier = Self.sealed(mark.bytes + page.encoded.dropFirst(4).dropLast(4))
            #expect(earlier != page.encoded)
            #expect(TimelinePage(encoded: earlier) == page, "seed \(seed)")
        }
    }

    @Test func encodesAndDecodesExtremes() throws {
        var row = RecordedSegment(
            number: 5, start: -(1 << 61), duration: 1 << 60, targetDuration: .max, state: .awaited)
        row.length = 1 << 60
        row.originSequence = .min
        row.range = 0..<Int64.max
        var other = row
        other.number = 6
        other.start = 1 << 62
        other.duration = 0
        other.originSequence = .max
        let page = TimelinePage(first: 5, discontinuities: .max, segments: [row, other])
        #expect(TimelinePage(encoded: page.encoded) == page)
    }

    /// The prefix that a URL shares with the previous one doesn't end inside a UTF-8 sequence.
    @Test func doesNotSplitCharacters() throws {
        let names = ["/é.ts", "/è.ts", "/日.ts", "/本.ts", "/🏂", "/🏀", "/🏀a", "/", "", "/e\u{301}", "/e\u{300}"]
        var rows: [RecordedSegment] = []
        for name in names + names.reversed() {
            var row = TimelineRows.stored(Int64(rows.count))
            row.url = name
            rows.append(row)
        }
        let page = TimelinePage(first: 0, discontinuities: 0, segments: rows)
        #expect(TimelinePage(encoded: page.encoded)?.segments.map(\.url) == rows.map(\.url))
    }

    @Test func detectsFlippedBit() throws {
        let bytes = Self.page(30, seed: 7).encoded
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(TimelinePage(encoded: damaged) == nil, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test func detectsTruncation() throws {
        let bytes = Self.page(30, seed: 8).encoded
        for count in 0..<bytes.count { #expect(TimelinePage(encoded: Array(bytes.prefix(count))) == nil) }
        #expect(TimelinePage(encoded: bytes + [0]) == nil)
        // Truncation is detected even if the checksum is correct.
        let body = Array(bytes.dropLast(4))
        for count in 0..<body.count { #expect(TimelinePage(encoded: Self.sealed(Array(body.prefix(count)))) == nil) }
        #expect(TimelinePage(encoded: Self.sealed(body + [0])) == nil)
        #expect(TimelinePage(encoded: Self.sealed(body)) != nil)
    }

    /// Arbitrary bytes cause neither a trap nor an excessive allocation, and decoded pages can be encoded.
    @Test func decodesArbitraryBytesSafely() throws {
        var random = SeededGenerator(seed: 99)
        var count = 0
        for seed in 0..<40 as Range<UInt64> {
            let body = Array(Self.page(1 + Int(seed) % 20, seed: seed).encoded.dropLast(4))
            for _ in 0..<200 {
                var bytes = body
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let index = Int.random(in: 4..<bytes.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: bytes[index] = .random(in: 0...255, using: &random)
                    case 1: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: 9) + [1], at: index)
                    case 2:
                        bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...8, using: &random)))
                    default: bytes[index] = 0xFF
                    }
                    if bytes.count < 6 { break }
                }
                guard let page = TimelinePage(encoded: Self.sealed(bytes)) else { continue }
                count += 1
                #expect(page.segments.count <= TimelinePage.capacity)
                #expect(page.segments.allSatisfy { $0.duration >= 0 && $0.end >= $0.start && $0.length >= 0 })
                // A duplicate name in a tag's attributes is decoded only once.
                #expect(TimelinePage(encoded: page.encoded)?.segments.count == page.segments.count)
            }
        }
        #expect(count > 100)
    }

    @Test func rejectsHugeCount() throws {
        for count in [0, 257, 1 << 40, UInt64.max] {
            var writer = VarintWriter()
            writer.write(fixed: 0x4D43_5431)
            writer.write(0)
            writer.write(0)
            writer.write(count)
            #expect(TimelinePage(encoded: Self.sealed(writer.bytes)) == nil)
        }
    }

    @Test func pageOfSegmentsIsSmall() throws {
        let page = TimelinePage(
            first: 1_000_000, discontinuities: 0, segments: TimelineRows.stored(1_000_000..<1_000_256))
        #expect(page.encoded.count < 256 * 24)
    }
}

extension TimelinePage {
    fileprivate func filled(_ count: Int, _ random: inout SeededGenerator) -> TimelinePage {
        var page = self
        page.segments = TimelineRows.random(count, from: first, &random)
        return page
    }
}
