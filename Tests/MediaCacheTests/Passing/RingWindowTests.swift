import Testing

@testable import MediaCache

struct RingWindowTests {
    private static let capacity = RingWindow.capacity
    private static let lookahead = RingWindow.lookahead

    /// Fills all free space. Returns the number of bytes filled, and the positions of removed readers.
    private func fill(_ window: inout RingWindow, now: Duration = .zero) -> (count: Int64, fallen: [Int64]) {
        let before = window.end
        var fallen: [RingWindow.Reader] = []
        while true {
            let space = window.makeSpace(now: now)
            fallen += space.fallen
            guard space.count > 0 else { break }
            _ = window.didAppend(space.count)
        }
        return (window.end - before, fallen.map(\.position))
    }

    @Test func limitsReadAhead() {
        var window = RingWindow(start: 100, limit: .max)
        let reader = window.join(at: 100, .playback)
        #expect(fill(&window).count == Self.lookahead)
        window.consume(1000, by: reader)
        #expect(fill(&window).count == 1000)
        #expect(window.end - window.start <= Self.capacity)
    }

    @Test func removesReadersThatBlockOthers() {
        var window = RingWindow(start: 0, limit: .max)
        let fast = window.join(at: 0, .playback)
        let slow = window.join(at: 0, .playback)
        var position: Int64 = 0
        while position < Self.capacity {
            // The slow reader isn't removed while the fast one still has bytes to read.
            #expect(fill(&window, now: .seconds(9)).fallen.isEmpty)
            window.consume(Int(window.end - position), by: fast)
            position = window.end
        }
        // The total time that the window waits for a reader is limited.
        #expect(fill(&window, now: .seconds(10)).count == 0)
        #expect(fill(&window, now: .seconds(10) + .milliseconds(200)).count == 0)
        window.consume(100_000, by: slow)
        #expect(fill(&window, now: .seconds(11)).count == 100_000)
        window.consume(100_000, by: fast)
        #expect(fill(&window, now: .seconds(12)) == (0, []))
        let last = fill(&window, now: .seconds(12) + .milliseconds(60))
        #expect(last.fallen == [100_000])
        #expect(last.count == Self.lookahead)
        #expect(window.readers[slow] == nil)
        #expect(window.readers[fast] != nil)
        #expect(window.end - window.start <= Self.capacity)
    }

    @Test func preservesBytesForHold() {
        var window = RingWindow(start: 0, limit: .max)
        let hold = window.join(at: 0, .background, isHold: true)
        let reader = window.join(at: 0, .playback)
        for _ in 0..<4 {
            #expect(fill(&window).fallen.isEmpty)
            window.consume(Int(window.end - (window.readers[reader]?.position ?? 0)), by: reader)
        }
        #expect(window.end == Self.capacity)
        #expect(window.reaches(0))
        _ = window.leave(hold)
        #expect(fill(&window).count > 0)
    }

    @Test func joinsNearbyReadersOnly() {
        var window = RingWindow(start: 1000, limit: 5_000_000)
        #expect(window.reaches(1000))
        #expect(window.reaches(1000 + RingWindow.nearDistance))
        #expect(!window.reaches(1001 + RingWindow.nearDistance))
        #expect(!window.reaches(999))
        let reader = window.join(at: 1000, .playback)
        while window.end < 5_000_000 {
            _ = fill(&window)
            window.consume(Int(window.end - (window.readers[reader]?.position ?? 0)), by: reader)
            if window.end > 4_999_000 { break }
        }
        #expect(!window.reaches(1000))
        #expect(!window.reaches(5_000_000))
        #expect(RingWindow(start: 0, limit: .max, sendsAll: true).reaches(4_000_000))
    }

    @Test func hasHighestTransferClassOfReaders() {
        var window = RingWindow(start: 0, limit: .max)
        #expect(window.transferClass == nil)
        _ = window.join(at: 0, .download)
        let playing = window.join(at: 0, .playback)
        #expect(window.transferClass == .playback)
        _ = window.leave(playing)
        #expect(window.transferClass == .download)
    }
}
