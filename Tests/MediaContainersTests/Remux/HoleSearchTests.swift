import Testing

@testable import MediaContainers

/// The search for media that is missing without an announcement.
struct HoleSearchTests {
    /// Adds samples at a distance, and returns the time after the last one.
    private func add(_ count: Int64, every step: Int64, from start: Int64, to search: inout HoleSearch) -> Int64 {
        for index in 0..<count { search.add(start + index * step) }
        return start + count * step
    }

    @Test func findsHoleBetweenSegments() {
        var search = HoleSearch()
        search.beginSegment()
        let end = add(50, every: 3600, from: 0, to: &search)
        #expect(search.holes.isEmpty)
        search.beginSegment()
        _ = add(50, every: 3600, from: end + 45_000, to: &search)
        #expect(search.holes == [MediaHole(duration: 0.54, isBeforeSegment: true)])
        // The next segment continues.
        search.beginSegment()
        _ = add(50, every: 3600, from: end + 45_000 + 50 * 3600, to: &search)
        #expect(search.holes.isEmpty)
    }

    /// The last frame of a truncated segment ends with the first one of the next segment.
    @Test func attributesHoleBehindLateFrameToPreviousSegment() {
        var search = HoleSearch()
        search.beginSegment()
        let end = add(25, every: 3600, from: 0, to: &search)
        search.beginSegment()
        search.add(end)
        _ = add(25, every: 3600, from: end + 90_000, to: &search)
        #expect(search.holes == [MediaHole(duration: 1, isBeforeSegment: true)])
    }

    @Test func findsHoleWithinSegment() {
        var search = HoleSearch()
        search.beginSegment()
        let end = add(25, every: 3600, from: 0, to: &search)
        _ = add(25, every: 3600, from: end + 36_000, to: &search)
        #expect(search.holes == [MediaHole(duration: 0.44, isBeforeSegment: false)])
    }

    /// Neither a low picture rate nor alternating tracks nor an announced gap is a hole.
    @Test func acceptsUsualDistances() {
        var search = HoleSearch()
        search.beginSegment()
        var end = add(20, every: 90_000, from: 0, to: &search)
        end = add(20, every: 90_000, from: end + 270_000, to: &search)
        #expect(search.holes.isEmpty)
        search.beginClock()
        search.beginSegment()
        end = add(20, every: 1920, from: 9_000_000, to: &search)
        // Audio that was multiplexed later.
        _ = add(20, every: 1920, from: 9_000_000 - 40_000, to: &search)
        search.beginClock()
        _ = add(20, every: 1920, from: end + 900_000, to: &search)
        #expect(search.holes.isEmpty)
    }
}
