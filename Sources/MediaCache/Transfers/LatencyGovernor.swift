import Foundation

/// A rate limit for transfers from one host other than playback and recordings, which prevents other traffic on the
/// link from queueing behind them. It works like LEDBAT (RFC 6817), but measures the time from request to response
/// head. It has no side effects.
///
/// Latency above the recent minimum counts as queueing delay. If the delay exceeds a target, the limit is reduced by a
/// fraction of the received rate; otherwise, it rises in steps. If a lower rate doesn't reduce the delay, the delay has
/// another cause, and the limit is lifted for a while.
struct LatencyGovernor: Sendable {
    /// The length and number of the intervals over which the minimum latency is determined. Older minima expire, since
    /// network paths change.
    private static let baseInterval = Duration.seconds(60)
    private static let baseIntervals = 5
    /// The number of responses per decision. Only the fastest counts, since some requests wait for a connection or the
    /// server.
    private static let filter = 4
    /// The permitted delay as a fraction of the minimum latency, and at least ``minimumTarget``.
    private static let target = 0.15
    private static let minimumTarget = Duration.milliseconds(10)
    /// The largest single decrease as a fraction, and the lowest rate, in bytes per second and as a fraction of the
    /// peak.
    private static let maximumDecrease = 0.3
    private static let minimumRate = 256.0 * 1024
    private static let minimumFraction = 0.1
    /// The increase per interval as a fraction of the peak, and the maximum number of intervals that one response can
    /// account for, since slow transfers send few requests.
    private static let step = 0.02
    private static let maximumIncrease = 10.0
    /// The fraction of the peak below which the rate rises twice as fast.
    private static let low = 0.7
    /// The half-life of the peak in seconds.
    private static let memory = 60.0
    /// The thresholds at which the limit is considered useless: the delay as a fraction of the initial delay, at this
    /// fraction of the initial rate. The limit is then lifted for ``rest``.
    private static let (unhelped, fallen) = (0.7, 0.4)
    private static let rest = Duration.seconds(30)
    private static let interval = Duration.milliseconds(200)
    /// The time after the first response during which measurements aren't representative.
    private static let warmUp = Duration.seconds(2)
    /// The time without a late response after which the rate doubles each second, since slow transfers send few
    /// requests.
    private static let silence = Duration.seconds(2)
    /// The multiple of the received rate at which a limit has no effect.
    private static let slack = 2.0

    private var minima: [(since: Duration, least: Duration)] = []
    /// The number of responses since the last change, and the minimum of their latencies.
    private var recent: (count: Int, least: Duration) = (0, .zero)
    private var changed: Duration?
    private var peak = 0.0
    private var peakTime = Duration.zero
    /// The delay and the received rate in bytes per second when the rate began to fall.
    private var struck: (delay: Duration, rate: Double)?
    private var restsUntil: Duration?
    private var first: Duration?
    /// The limit in bytes per second at the last change; nil for no limit.
    private(set) var rate: Double?

    /// Returns the limit in bytes per second at the time `now`; nil for no limit.
    func rate(at now: Duration) -> Double? {
        guard let rate, let changed else { return rate }
        let quiet = (now - changed - Self.silence).seconds
        guard quiet > 0 else { return rate }
        let risen = rate * exp2(min(quiet, 40))
        return risen > max(peak * Self.slack, Self.minimumRate * 64) ? nil : risen
    }

    /// The recent minimum of the time from request to response head; nil before the first response.
    var base: Duration? { minima.map(\.least).min() }

    /// Records a response and adjusts the rate.
    ///
    /// - Parameters:
    ///   - latency: The time from the request to the response head.
    ///   - delivered: The rate in bytes per second received by limited transfers; nil if unknown, or while playback
    ///     uses the link.
    mutating func record(latency: Duration, delivered: Double?, now: Duration) {
        noteBase(latency, now: now)
        let began = first ?? now
        first = began
        guard now - began >= Self.warmUp else { return }
        rate = rate(at: now)
        if let restsUntil {
            guard now >= restsUntil else { return }
            self.restsUntil = nil
        }
        recent = (recent.count + 1, recent.count == 0 ? latency : min(recent.least, latency))
        let current = recent.least
        guard recent.count >= Self.filter, let base, let delivered else { return }
        let target = max(base * Self.target, Self.minimumTarget)
        let delay = current - base
        // A change of the rate affects only responses to requests sent after it.
        let elapsed = changed.map { now - $0 } ?? current + Self.interval
        guard elapsed >= max(Self.interval, current) else { return }
        recent.count = 0
        if delay > target {
            let excess = (delay - target).seconds / delay.seconds
            let from = min(rate ?? delivered, delivered)
            peak = max(peak * exp2(-(now - peakTime).seconds / Self.memory), delivered)
            peakTime = now
            let first = struck ?? (delay, from)
            struck = first
            if from <= first.rate * Self.fallen, delay > first.delay * Self.unhelped {
                (rate, struck, restsUntil) = (nil, nil, now + Self.rest)
            } else {
                rate = max(from * (1 - Self.maximumDecrease * excess), peak * Self.minimumFraction, Self.minimumRate)
            }
            changed = now
        } else if let rate {
            let pace = rate < peak * Self.low ? 2.0 : 1
            let steps = pace * min(elapsed.seconds / Self.interval.seconds, Self.maximumIncrease)
            self.rate = rate > delivered * Self.slack && rate > peak ? nil : rate + peak * Self.step * steps
            if let struck, self.rate ?? .infinity >= struck.rate { self.struck = nil }
            changed = now
        }
    }

    private mutating func noteBase(_ latency: Duration, now: Duration) {
        if let last = minima.last, now - last.since < Self.baseInterval {
            minima[minima.count - 1].least = min(last.least, latency)
            return
        }
        minima.append((now, latency))
        if minima.count > Self.baseIntervals { minima.removeFirst() }
    }
}
