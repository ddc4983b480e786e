public import Foundation

/// A source of time: wall clock, monotonic clock and sleep. Tests can replace it.
public protocol TimeSource: Sendable {
    /// The wall-clock time, which may jump.
    var now: Date { get }

    /// The time since an arbitrary fixed moment. It never decreases.
    var monotonic: Duration { get }

    /// Suspends the task for `duration`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemTime: TimeSource {
    private static let start = ContinuousClock.now

    /// Creates a source backed by the system's clocks.
    public init() {}

    /// The system's wall-clock time.
    public var now: Date { Date() }

    /// The time since this property was first used. It includes time during which the system was asleep.
    public var monotonic: Duration {
        // Read before the clock, because the first use sets the start to the current time.
        let start = Self.start
        return ContinuousClock.now - start
    }

    /// Suspends the task for `duration`, including time during which the system is asleep.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: Double { self / Duration.seconds(1) }
}
