public import Foundation

/// A source of time: wall clock, monotonic clock and sleep, which tests can control.
public protocol TimeSource: Sendable {
    /// The wall-clock time. It may jump, so nothing that must be ordered relies on it.
    var now: Date { get }

    /// The time since an arbitrary fixed moment. It never decreases.
    var monotonic: Duration { get }

    /// Returns after `duration`. Throws `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemTime: TimeSource {
    private static let start = ContinuousClock.now

    /// Creates a source backed by the system's clocks.
    public init() {}

    /// See ``TimeSource/now``.
    public var now: Date { Date() }

    /// See ``TimeSource/monotonic``.
    public var monotonic: Duration { ContinuousClock.now - Self.start }

    /// See ``TimeSource/sleep(for:)``.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
