internal import Foundation
internal import MediaCache
internal import Synchronization

/// A clock for the age of segments, in nanoseconds since 1970. Setting the wall clock doesn't change it, and so makes
/// no segment older.
struct AgeClock: Sendable {
    /// The longest step back of the stream's current time that is ignored. A longer one means that the stream's clock
    /// was set.
    private static let longestStepBack: Int64 = 60_000_000_000

    private let wall: Int64
    private let monotonic: Duration
    /// The last result of ``present(after:at:)``.
    private var present: Int64?

    /// Creates a clock that shows `wall` at `monotonic`.
    init(_ wall: Int64, at monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Returns the time at a moment of the monotonic clock.
    func now(at monotonic: Duration) -> Int64 { wall.clampedSum((monotonic - self.monotonic).nanoseconds) }

    /// Returns the stream's current time in nanoseconds since 1970: the end of the newest segment plus the time since
    /// its arrival. Segments arrive unevenly, so the result stays the same instead of going back, unless the stream's
    /// clock is set back by more than a minute.
    mutating func present(after newest: RecordedSegment?, at monotonic: Duration) -> Int64 {
        let now = now(at: monotonic)
        guard let newest else { return now }
        let next = now.clampedSum(newest.end.clampedSum(-newest.arrived))
        if let present, present > next, present.clampedSum(-next) <= Self.longestStepBack { return present }
        present = next
        return next
    }
}

/// The clocks of a recording.
extension Recording {
    /// The current time of the clock of segment arrivals, in nanoseconds since 1970.
    var arrivalNow: Int64 {
        let now = monotonic
        return age.withLock { $0.now(at: now) }
    }

    /// The stream's current time in nanoseconds since 1970, the reference of relative times. It is close to the live
    /// edge while recording, and continues from there when nothing arrives. Without recorded segments it is the
    /// recorder's clock.
    package nonisolated var present: Int64 {
        let newest = timelines.compactMap(\.last).max { $0.arrived < $1.arrived }
        let now = dependencies.store.time.monotonic
        return age.withLock { $0.present(after: newest, at: now) }
    }
}
