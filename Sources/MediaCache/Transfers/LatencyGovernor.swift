/// A rate limit for one host's transfers other than playback and recordings, which prevents other traffic on the link
/// from queueing behind them. It works like LEDBAT (RFC 6817), but measures the time from request to response head. It
/// has no side effects.
///
/// Latency above the recent minimum counts as queueing delay. If the delay exceeds a target, the limit is reduced to a
/// fraction of itself or of the received rate, whichever is lower. Then it rises steadily. If a lower rate doesn't
/// reduce the delay, the delay has another cause, and the limit is lifted for a while.
struct LatencyGovernor: Sendable {
    /// The length of the intervals for which minimum latencies are recorded. Only the current and the
    /// previous one count.
    private static let baseInterval = Duration.seconds(150)
    /// The number of responses per decision. Only the fastest counts, since some wait for the server.
    private static let filter = 4
    /// The minimum time between decreases.
    private static let interval = Duration.milliseconds(200)
    /// The permitted delay as a fraction of the minimum latency, and at least ``minimumTarget``.
    private static let target = 0.15
    private static let minimumTarget = Duration.milliseconds(10)
    /// The largest single decrease as a fraction.
    private static let maximumDecrease = 0.3
    /// The lowest limit in bytes per second.
    private static let minimumRate = 256.0 * 1024
    /// The increase per second as a fraction of the rate at which the delay began.
    private static let increase = 0.08
    /// The thresholds of a useless limit: the delay still exceeds the fraction `unhelped` of the initial delay although
    /// the rate has fallen to the fraction `fallen` of the initial rate. The limit is then lifted for ``rest``.
    private static let (unhelped, fallen) = (0.7, 0.4)
    private static let rest = Duration.seconds(30)
    /// The time after the first response during which measurements aren't representative.
    private static let warmUp = Duration.seconds(2)

    /// A limit after its last decrease.
    private struct Limit {
        /// The delay, and the received rate in bytes per second, when the rate began to fall.
        var initial: (delay: Duration, rate: Double)
        var rate: Double
        var since: Duration

        /// Returns the limit at the time `now`; nil if it's too high to have an effect.
        func rate(at now: Duration) -> Double? {
            let risen = rate + initial.rate * LatencyGovernor.increase * (now - since).seconds
            return risen > initial.rate * 2 ? nil : risen
        }
    }

    /// The minimum latencies of the previous and the current interval, and the start of the current one.
    private var minima: (previous: Duration?, current: Duration?, since: Duration) = (nil, nil, .zero)
    /// The number of responses since the last decision, and the minimum of their latencies.
    private var recent: (count: Int, least: Duration) = (0, .zero)
    private var limit: Limit?
    private var restsUntil: Duration?

    /// The recent minimum of the time from request to response head; nil before the first response.
    var base: Duration? { [minima.previous, minima.current].compactMap(\.self).min() }

    /// Returns the limit in bytes per second at the time `now`; nil for no limit.
    func rate(at now: Duration) -> Double? { limit?.rate(at: now) }

    /// Records a response and adjusts the limit.
    ///
    /// - Parameters:
    ///   - latency: The time from the request to the response head.
    ///   - delivered: The rate in bytes per second at which the governed transfers receive; nil if unknown, or while
    ///     they pause for playback.
    mutating func record(latency: Duration, delivered: Double?, now: Duration) {
        if now - minima.since >= Self.baseInterval { minima = (minima.current, nil, now) }
        minima.current = min(minima.current ?? latency, latency)
        let restEnd = restsUntil ?? now + Self.warmUp
        restsUntil = restEnd
        guard now >= restEnd else { return }
        recent = (recent.count + 1, recent.count == 0 ? latency : min(recent.least, latency))
        guard recent.count >= Self.filter, let base, let delivered else { return }
        // A change of the limit affects only responses to requests sent after the change.
        if let limit, now - limit.since < max(Self.interval, recent.least) { return }
        let delay = recent.least - base
        let target = max(base * Self.target, Self.minimumTarget)
        recent.count = 0
        guard delay > target else { return }
        let from = min(rate(at: now) ?? delivered, delivered)
        var initial = (delay: delay, rate: from)
        if let limit, let rate = limit.rate(at: now), rate < limit.initial.rate { initial = limit.initial }
        if from <= initial.rate * Self.fallen, delay > initial.delay * Self.unhelped {
            (limit, restsUntil) = (nil, now + Self.rest)
        } else {
            let excess = (delay - target).seconds / delay.seconds
            let rate = max(from * (1 - Self.maximumDecrease * excess), Self.minimumRate)
            limit = Limit(initial: initial, rate: rate, since: now)
        }
    }
}
