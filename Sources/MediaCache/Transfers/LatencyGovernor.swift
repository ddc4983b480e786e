import Foundation

/// How fast what isn't playback may take bytes of a host, so that others' requests over the same link don't wait behind
/// them: as LEDBAT does (RFC 6817), but by the time from request to first byte. Pure.
///
/// What a request takes longer than the least lately is taken for waiting in queues. Past the target the rate falls by a
/// part of what has come; below it, it rises by steps. Where that doesn't help, it isn't this one's bytes that others wait
/// behind, and nothing is held back for a while.
struct LatencyGovernor: Sendable {
    /// The least is sought in so many intervals, since ways through the network change.
    private static let baseInterval = Duration.seconds(60)
    private static let baseIntervals = 5
    /// Of all answers of an interval, and of so many at least, the least counts: some requests have to wait for a
    /// connection, or for their server.
    private static let filter = 4
    /// How much longer than the least is fine, as a part of it, and at least.
    private static let target = 0.15
    private static let leastTarget = Duration.milliseconds(10)
    /// What the rate falls by at most at once, and to.
    private static let deepestFall = 0.3
    private static let least = 256.0 * 1024
    private static let leastPart = 0.1
    /// What it rises by in an interval, as a part of the most that came, and in how many at once: a slow transfer asks
    /// seldom.
    private static let step = 0.02
    private static let longestRise = 10.0
    /// Below this part of the most that came it rises twice as fast.
    private static let low = 0.7
    /// In how many seconds half of the most that came is forgotten.
    private static let memory = 60.0
    /// Where answers are late by as much as this part of what they were, at this part of the rate, it's held back in vain;
    /// and for how long nothing is then.
    private static let (unhelped, fallen) = (0.7, 0.4)
    private static let rest = Duration.seconds(30)
    private static let interval = Duration.milliseconds(200)
    /// What comes in the first moments tells neither what the link can do nor how long it takes.
    private static let warmUp = Duration.seconds(2)
    /// Without an answer that is late for so long, the rate doubles each second: a slow transfer asks seldom.
    private static let silence = Duration.seconds(2)
    /// A rate so many times what comes holds nothing back.
    private static let slack = 2.0

    private var minima: [(since: Duration, least: Duration)] = []
    /// Answers since the last change: how many, and the least of their times.
    private var recent: (count: Int, least: Duration) = (0, .zero)
    private var changed: Duration?
    private var most = 0.0
    private var mostAt = Duration.zero
    /// When the rate began to fall: how late answers were, and how many bytes a second came.
    private var struck: (delay: Duration, rate: Double)?
    private var restsUntil: Duration?
    private var first: Duration?
    /// Bytes a second as of the last change; nil for as many as come.
    private(set) var rate: Double?

    /// Bytes a second at a moment; nil for as many as come.
    func rate(at now: Duration) -> Double? {
        guard let rate, let changed else { return rate }
        let quiet = (now - changed - Self.silence).seconds
        guard quiet > 0 else { return rate }
        let risen = rate * exp2(min(quiet, 40))
        return risen > max(most * Self.slack, Self.least * 64) ? nil : risen
    }

    /// The least time from request to first byte lately.
    var base: Duration? { minima.map(\.least).min() }

    /// A request was answered.
    ///
    /// - Parameters:
    ///   - latency: from the request to the first byte.
    ///   - delivered: the bytes a second that come of what is governed; nil if that isn't known, or if others have the
    ///     link at the moment.
    mutating func answered(after latency: Duration, delivered: Double?, now: Duration) {
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
        let target = max(base * Self.target, Self.leastTarget)
        let delay = current - base
        // What was changed shows in answers to requests that were sent after it.
        let elapsed = changed.map { now - $0 } ?? current + Self.interval
        guard elapsed >= max(Self.interval, current) else { return }
        recent.count = 0
        if delay > target {
            let excess = (delay - target).seconds / delay.seconds
            let from = min(rate ?? delivered, delivered)
            most = max(most * exp2(-(now - mostAt).seconds / Self.memory), delivered)
            mostAt = now
            let first = struck ?? (delay, from)
            struck = first
            if from <= first.rate * Self.fallen, delay > first.delay * Self.unhelped {
                (rate, struck, restsUntil) = (nil, nil, now + Self.rest)
            } else {
                rate = max(from * (1 - Self.deepestFall * excess), most * Self.leastPart, Self.least)
            }
            changed = now
        } else if let rate {
            let pace = rate < most * Self.low ? 2.0 : 1
            let steps = pace * min(elapsed.seconds / Self.interval.seconds, Self.longestRise)
            self.rate = rate > delivered * Self.slack && rate > most ? nil : rate + most * Self.step * steps
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
