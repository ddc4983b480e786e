/// What is left of an origin's further chances: how often it failed in a row, and for how long.
struct RetryBudget {
    private static let maximumRefreshes = 2

    private let policy: RetryPolicy
    private var failures = 0
    private var refreshes = 0
    /// When the first request began since enough bytes came.
    private var troubledSince: Duration?
    /// Bytes that came since the last failure.
    private var gained: Int64 = 0

    init(_ policy: RetryPolicy) {
        self.policy = policy
    }

    /// A request begins.
    mutating func began(at now: Duration) {
        troubledSince = troubledSince ?? now
    }

    /// Bytes came; so few that they count as a stall make up for nothing.
    mutating func received(_ count: Int64) {
        gained += count
        guard gained >= StallWatch.minimumBytes else { return }
        failures = 0
        refreshes = 0
        troubledSince = nil
    }

    /// How long to wait before the next try, `random` being in 0..<1.
    ///
    /// - Throws: `failure` itself, if another try wouldn't help, or none is left.
    mutating func delay(after failure: CacheError, at now: Duration, random: Double) throws(CacheError) -> Duration {
        let trouble = troubledSince.map { now - $0 } ?? .zero
        guard failure.isRetryable, failures < policy.budget, trouble < policy.patience else { throw failure }
        failures += 1
        gained = 0
        let delay = policy.delay(attempt: failures, random: random)
        guard let retryAfter = failure.retryAfter else { return delay }
        guard retryAfter <= policy.maximumDelay else { throw failure }
        return max(delay, retryAfter)
    }

    /// Whether a fresh URL may be asked for: twice at most without bytes in between.
    var mayRefresh: Bool { refreshes < Self.maximumRefreshes }

    /// A fresh URL came.
    mutating func refreshed() { refreshes += 1 }
}
