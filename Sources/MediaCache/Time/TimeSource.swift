public import Foundation

/// Where the engine gets its time from: wall time, monotonic time and sleep, in one place, so that a test can turn
/// the hands itself.
public protocol TimeSource: Sendable {
    /// The wall clock. It may jump; nothing that must be ordered relies on it.
    var now: Date { get }

    /// Time since an arbitrary fixed moment. It never goes back.
    var monotonic: Duration { get }

    /// Returns after `duration`, or throws `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemTime: TimeSource {
    private static let start = ContinuousClock.now

    /// Creates a source that reads the system's clocks.
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
    /// This duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
