import Synchronization

/// The retries permitted by a ``RetryPolicy``, limited in number and time.
struct RetryBudget {
    private static let maximumRefreshes = 2

    private let policy: RetryPolicy
    private var failures = 0
    private var refreshes = 0
    /// The start time of the first request after enough bytes were last received.
    private var failingSince: Duration?
    /// The number of bytes received since the last failure.
    private var receivedBytes: Int64 = 0

    init(_ policy: RetryPolicy) {
        self.policy = policy
    }

    mutating func began(at now: Duration) {
        failingSince = failingSince ?? now
    }

    /// Records received bytes. After ``StallWatch/minimumBytes`` bytes, the budget is reset.
    mutating func received(_ count: Int64) {
        receivedBytes += count
        guard receivedBytes >= StallWatch.minimumBytes else { return }
        failures = 0
        refreshes = 0
        failingSince = nil
    }

    /// Returns the delay before the next attempt. `random` is in `0..<1`.
    ///
    /// - Throws: `failure` if another attempt wouldn't help, the budget is exhausted, or the origin requests a delay
    ///   longer than ``RetryPolicy/maximumDelay``.
    mutating func delay(after failure: CacheError, at now: Duration, random: Double) throws(CacheError) -> Duration {
        let failureTime = failingSince.map { now - $0 } ?? .zero
        guard failure.isRetryable, failures < policy.budget, failureTime < policy.patience else { throw failure }
        failures += 1
        receivedBytes = 0
        let delay = policy.delay(attempt: failures, random: random)
        guard let retryAfter = failure.retryAfter else { return delay }
        guard retryAfter <= policy.maximumDelay else { throw failure }
        return max(delay, retryAfter)
    }

    /// Whether a fresh URL may be requested.
    var mayRefresh: Bool { refreshes < Self.maximumRefreshes }

    mutating func refreshed() { refreshes += 1 }
}

/// A watchdog that cancels a body if too few bytes are received while its reader waits.
final class StallWatch: Sendable {
    /// The minimum number of bytes per time limit. A body with fewer counts as stalled.
    static let minimumBytes = 1024

    private struct State {
        var awaitedSince: Duration?
        var awaited: Duration = .zero
        var bytes = 0
        var hasFired = false
        var timer: Task<Void, Never>?
    }

    private let body: any OriginBody
    private let limit: Duration
    private let time: any TimeSource
    private let state = Mutex(State())

    init(body: any OriginBody, limit: Duration, time: any TimeSource) {
        self.body = body
        self.limit = limit
        self.time = time
    }

    /// Whether the body was cancelled because it stalled.
    var hasFired: Bool { state.withLock { $0.hasFired } }

    func start() {
        let timer = Task { [weak self, time, limit] in
            while !Task.isCancelled {
                do { try await time.sleep(for: limit / 4) } catch { return }
                guard let self, self.check() else { return }
            }
        }
        state.withLock { $0.timer = timer }
    }

    func stop() {
        state.withLock { $0.timer?.cancel() }
    }

    /// Records whether the reader is waiting. Only waiting time counts.
    func isAwaited(_ isAwaited: Bool) {
        let now = time.monotonic
        state.withLock { state in
            if let since = state.awaitedSince { state.awaited += now - since }
            state.awaitedSince = isAwaited ? now : nil
        }
    }

    func received(_ count: Int) {
        state.withLock { state in
            state.bytes += count
            if state.bytes >= Self.minimumBytes {
                state.bytes = 0
                state.awaited = .zero
                state.awaitedSince = state.awaitedSince.map { _ in time.monotonic }
            }
        }
    }

    /// Cancels the body if it has stalled. Returns whether to continue watching.
    private func check() -> Bool {
        let now = time.monotonic
        let isStalled = state.withLock { state in
            let awaited = state.awaited + (state.awaitedSince.map { now - $0 } ?? .zero)
            guard awaited >= limit, state.awaitedSince != nil else { return false }
            state.hasFired = true
            return true
        }
        if isStalled { body.cancel() }
        return !isStalled
    }
}
