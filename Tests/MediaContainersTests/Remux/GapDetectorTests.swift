import Testing

@testable import MediaContainers

/// Tests of the detection of missing media that the playlist doesn't announce.
struct GapDetectorTests {
    /// Adds samples at regular intervals. Returns the time after the last one.
    private func add(_ count: Int64, every step: Int64, from start: Int64, to detector: inout GapDetector) -> Int64 {
        for index in 0..<count { detector.add(start + index * step) }
        return start + count * step
    }

    @Test func findsGapBetweenSegments() {
        var detector = GapDetector()
        detector.beginSegment()
        let end = add(50, every: 3600, from: 0, to: &detector)
        #expect(detector.gaps.isEmpty)
        detector.beginSegment()
        _ = add(50, every: 3600, from: end + 45_000, to: &detector)
        #expect(detector.gaps == [UnannouncedGap(duration: 0.54, isBeforeSegment: true)])
        // The segment after that continues without a gap.
        detector.beginSegment()
        _ = add(50, every: 3600, from: end + 45_000 + 50 * 3600, to: &detector)
        #expect(detector.gaps.isEmpty)
    }

    /// The last frame of a truncated segment is completed by the first bytes of the next segment.
    @Test func attributesGapAfterLateFrameToPreviousSegment() {
        var detector = GapDetector()
        detector.beginSegment()
        let end = add(25, every: 3600, from: 0, to: &detector)
        detector.beginSegment()
        detector.add(end)
        _ = add(25, every: 3600, from: end + 90_000, to: &detector)
        #expect(detector.gaps == [UnannouncedGap(duration: 1, isBeforeSegment: true)])
    }

    @Test func findsGapWithinSegment() {
        var detector = GapDetector()
        detector.beginSegment()
        let end = add(25, every: 3600, from: 0, to: &detector)
        _ = add(25, every: 3600, from: end + 36_000, to: &detector)
        #expect(detector.gaps == [UnannouncedGap(duration: 0.44, isBeforeSegment: false)])
    }

    /// Low frame rates, interleaved tracks and announced gaps aren't reported.
    @Test func acceptsUsualIntervals() {
        var detector = GapDetector()
        detector.beginSegment()
        var end = add(20, every: 90_000, from: 0, to: &detector)
        end = add(20, every: 90_000, from: end + 270_000, to: &detector)
        #expect(detector.gaps.isEmpty)
        detector.beginClock()
        detector.beginSegment()
        end = add(20, every: 1920, from: 9_000_000, to: &detector)
        // The times of a track that was multiplexed later.
        _ = add(20, every: 1920, from: 9_000_000 - 40_000, to: &detector)
        detector.beginClock()
        _ = add(20, every: 1920, from: end + 900_000, to: &detector)
        #expect(detector.gaps.isEmpty)
    }
}
