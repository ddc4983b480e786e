import MediaCache
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct MemoryLimitTests {
    private let limit = MemoryLimit(100)

    private func reader(_ count: Int) throws -> MemoryReader {
        try MemoryReader(
            [UInt8](repeating: 0, count: count), contentType: "video/mp4", range: .all, name: "a",
            share: limit.share(of: count))
    }

    @Test func readerHoldsItsShare() throws {
        var first: MemoryReader? = try reader(60)
        let second = try reader(40)
        #expect(throws: ConcurrencyLimit.Exceeded.self) { try reader(1) }
        first = nil
        #expect(first == nil)
        let third = try reader(60)
        #expect(second.range.count == 40 && third.range.count == 60)
    }

    /// Otherwise, a body larger than the maximum could never be sent.
    @Test func grantsOneShareBeyondMaximum() throws {
        do {
            let large = try reader(1000)
            #expect(large.range.count == 1000)
            #expect(throws: ConcurrencyLimit.Exceeded.self) { try reader(1) }
        }
        #expect(try reader(1).range.count == 1)
    }
}
