/// A period in which an input unexpectedly has no audio or video samples.
public struct UnannouncedGap: Sendable, Hashable {
    /// The duration in seconds.
    public var duration: Double
    /// Whether the gap is before the samples of the segment, which means that the previous segment was cut short.
    public var isBeforeSegment: Bool
}

/// A detector of unannounced gaps in the audio and video samples of an input. Times are decoding times in 90 kHz ticks,
/// on one clock.
struct GapDetector {
    private static let shortest: Int64 = 27_000
    /// The number of average steps between samples that a gap exceeds, so that a low frame rate isn't mistaken for
    /// gaps.
    private static let steps: Int64 = 8

    /// The gaps found in the current segment.
    private(set) var gaps: [UnannouncedGap] = []
    /// The time of the first sample, moved forward by the length of each gap.
    private var first: Int64 = 0
    private var latest: Int64?
    /// The number of steps by which `latest` has increased, without gaps.
    private var count: Int64 = 0
    private var segmentStart: Int64?

    /// Begins another clock, or continues after an announced gap.
    mutating func beginClock() { (latest, count) = (nil, 0) }

    mutating func beginSegment() { (gaps, segmentStart) = ([], nil) }

    mutating func add(_ time: Int64) {
        let segmentStart = segmentStart ?? time
        self.segmentStart = segmentStart
        guard let last = latest else {
            (first, latest) = (time, time)
            return
        }
        guard time > last else { return }
        latest = time
        let step = time.subtractingClamped(last)
        guard count >= Self.steps, step >= Self.shortest, step > last.subtractingClamped(first) / count * Self.steps
        else {
            count += 1
            return
        }
        first = first.addingClamped(step)
        // A frame that's completed only by the next one may still belong to the previous segment.
        let isBeforeSegment = last.subtractingClamped(segmentStart) < Self.shortest
        gaps.append(UnannouncedGap(duration: Double(step) / 90_000, isBeforeSegment: isBeforeSegment))
    }
}
