import Testing

@testable import MediaLibrary

struct WindowPlaylistCacheTests {
    private func window(_ from: Int64) -> ServedWindow { ServedWindow(from: from, to: from + 10, isOver: true) }

    @Test func returnsPlaylistWhileRevisionIsUnchanged() {
        var cache = WindowPlaylistCache()
        cache[window(1), of: "a", 1] = [1]
        cache[window(1), of: "b", 1] = [2]
        #expect(cache[window(1), of: "a", 1] == [1])
        #expect(cache[window(1), of: "b", 1] == [2])
        #expect(cache[window(2), of: "a", 1] == nil)
        #expect(cache[window(1), of: "a", 2] == nil)
        cache[window(2), of: "a", 2] = [3]
        #expect(cache[window(1), of: "a", 1] == nil)
        // A playlist of an earlier revision is ignored.
        cache[window(1), of: "a", 1] = [4]
        #expect(cache[window(1), of: "a", 1] == nil)
        #expect(cache[window(2), of: "a", 2] == [3])
        #expect(cache[window(1), of: "b", 1] == [2])
    }

    @Test func staysWithinSizeLimit() {
        var cache = WindowPlaylistCache()
        let playlist = [UInt8](repeating: 1, count: 1 << 20)
        for from in 0..<100 as Range<Int64> { cache[window(from), of: "a", 1] = playlist }
        #expect((0..<100 as Range<Int64>).count { cache[window($0), of: "a", 1] != nil } <= 4)
        #expect(cache[window(99), of: "a", 1] == playlist)
        cache[window(100), of: "a", 1] = [UInt8](repeating: 1, count: 5 << 20)
        #expect(cache[window(100), of: "a", 1] == nil)
    }
}
