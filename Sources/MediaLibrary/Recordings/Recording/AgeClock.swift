internal import Foundation
internal import MediaCache
internal import Synchronization

/// A clock that determines the age of segments, in nanoseconds since 1970. It advances with the monotonic clock, so
/// setting the wall clock doesn't change any segment's age.
struct AgeClock: Sendable {
    /// The maximum backward step of the stream's time that is ignored. A larger one means a clock that was set back.
    private static let maximumStepBack: Int64 = 60_000_000_000

    private let wall: Int64
    private let monotonic: Duration
    /// The last result of ``streamTime(after:at:)``.
    private var streamTime: Int64?

    init(_ wall: Int64, at monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    func now(at monotonic: Duration) -> Int64 { wall.clampedSum((monotonic - self.monotonic).nanoseconds) }

    /// Returns the stream's current time in nanoseconds since 1970: the end of the newest segment plus the time since
    /// its arrival. Segments arrive at uneven intervals, so the result goes back only if the clock was set back.
    mutating func streamTime(after newest: RecordedSegment?, at monotonic: Duration) -> Int64 {
        let now = now(at: monotonic)
        guard let newest else { return now }
        let next = now.clampedSum(newest.end.clampedSum(-newest.arrived))
        if let streamTime, streamTime > next, streamTime.clampedSum(-next) <= Self.maximumStepBack { return streamTime }
        streamTime = next
        return next
    }
}

extension Recording {
    /// The current time of the clock that measures segment arrivals, in nanoseconds since 1970.
    var arrivalNow: Int64 {
        let now = monotonic
        return age.withLock { $0.now(at: now) }
    }

    /// The stream's current time in nanoseconds since 1970; the recorder's time if nothing is recorded.
    package nonisolated var streamTime: Int64 {
        let newest = timelines.compactMap(\.last).max { $0.arrived < $1.arrived }
        let now = dependencies.store.time.monotonic
        return age.withLock { $0.streamTime(after: newest, at: now) }
    }
}
