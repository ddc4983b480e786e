import Testing

@testable import MediaCache

struct LatencyGovernorTests {
    /// A link with a rate of 10 MB/s and a latency of 50 ms. Excess traffic is queued for up to 300 ms.
    private struct Link {
        let capacity = 10e6
        var queue = 0.0
        var now = Duration.zero

        /// Advances by a tenth of a second at a given rate. Returns the latency of a request and the received rate.
        mutating func pass(_ rate: Double, competing others: Double = 0) -> (latency: Duration, delivered: Double) {
            now += .milliseconds(100)
            queue = min(max(queue + (rate + others - capacity) / 10, 0), capacity * 0.3)
            let share = rate / max(rate + others, capacity)
            return (.milliseconds(50) + .seconds(queue / capacity), share * capacity)
        }
    }

    @Test func lowersRateUntilQueueEmpties() {
        var link = Link()
        var governor = LatencyGovernor()
        for _ in 0..<10 { governor.record(latency: .milliseconds(50), delivered: 1e6, now: link.now) }
        #expect(governor.rate(at: link.now) == nil)
        var late = 0
        var rates: [Double] = []
        for step in 0..<600 {
            let (latency, delivered) = link.pass(min(governor.rate(at: link.now) ?? 40e6, 40e6))
            governor.record(latency: latency, delivered: delivered, now: link.now)
            guard step >= 100 else { continue }
            if latency > .milliseconds(65) { late += 1 }
            rates.append(delivered)
        }
        #expect(late < 150, "\(late) of 500 requests were late")
        #expect(rates.reduce(0, +) / 500 > 7e6)
    }

    @Test func setsNoLimitWithoutDelay() {
        var governor = LatencyGovernor()
        for step in 0..<1000 {
            let now = Duration.milliseconds(step * 50)
            governor.record(latency: .milliseconds(step % 3 == 0 ? 90 : 50), delivered: 100e6, now: now)
            #expect(governor.rate(at: now) == nil)
        }
    }

    @Test func neverLimitsBelowMinimumRate() {
        var governor = LatencyGovernor()
        governor.record(latency: .milliseconds(50), delivered: 300_000, now: .zero)
        for step in 0..<500 {
            let now = Duration.seconds(3) + .milliseconds(step * 100)
            let delivered = min(governor.rate(at: now) ?? 300_000, 300_000)
            #expect(delivered >= 256 * 1024)
            // The delay is proportional to the rate.
            governor.record(latency: .milliseconds(50) + .seconds(delivered / 1e6), delivered: delivered, now: now)
        }
    }

    /// A busy server or machine responds late, whatever the rate is.
    @Test func removesIneffectiveLimit() {
        var governor = LatencyGovernor()
        governor.record(latency: .milliseconds(50), delivered: 30e6, now: .zero)
        var (sum, count) = (0.0, 0)
        for step in 0..<3000 {
            let now = Duration.seconds(1) + .milliseconds(step * 20)
            let delivered = min(governor.rate(at: now) ?? 30e6, 30e6)
            governor.record(latency: .milliseconds(70 + step % 5), delivered: delivered, now: now)
            (sum, count) = (sum + delivered, count + 1)
        }
        #expect(sum / Double(count) > 25e6, "\(sum / Double(count)) bytes per second")
    }

    /// A burst of late responses has only a short effect.
    @Test func restoresRateAfterBurst() {
        var governor = LatencyGovernor()
        var now = Duration.zero
        func rate() -> Double { min(governor.rate(at: now) ?? 30e6, 30e6) }
        for step in 0..<2000 {
            now = .milliseconds(step * 20)
            let isLate = step % 500 > 450
            governor.record(latency: .milliseconds(isLate ? 90 : 50), delivered: rate(), now: now)
            if step % 500 == 440 { #expect(rate() > 25e6, "\(rate()) after \(now)") }
        }
    }

    @Test func adaptsToSlowerPath() throws {
        var governor = LatencyGovernor()
        for step in 0..<20 {
            governor.record(latency: .milliseconds(20), delivered: 1e6, now: .milliseconds(step * 100))
        }
        for step in 20..<6000 {
            governor.record(latency: .milliseconds(80), delivered: 1e6, now: .milliseconds(step * 100))
        }
        #expect(governor.base == .milliseconds(80))
        #expect(governor.rate(at: .seconds(600)) == nil)
    }

    /// A process's first responses are late for other reasons, before many bytes have been received.
    @Test func ignoresFirstResponses() {
        var governor = LatencyGovernor()
        governor.record(latency: .milliseconds(50), delivered: 1000, now: .zero)
        for step in 1..<20 {
            governor.record(latency: .milliseconds(90), delivered: 20_000, now: .milliseconds(step * 50))
        }
        #expect(governor.rate(at: .seconds(1)) == nil)
    }

    /// A transfer that sends few requests recovers its rate.
    @Test func raisesRateWithoutLateResponses() throws {
        var governor = LatencyGovernor()
        governor.record(latency: .milliseconds(50), delivered: 1e6, now: .zero)
        for step in 0..<8 {
            governor.record(latency: .milliseconds(300), delivered: 1e6, now: .seconds(3) + .milliseconds(step * 400))
        }
        let now = Duration.seconds(3) + .milliseconds(7 * 400)
        let rate = try #require(governor.rate(at: now))
        #expect(rate < 600_000)
        #expect(governor.rate(at: now + .seconds(10)) ?? .infinity > 1e6)
        #expect(governor.rate(at: now + .seconds(30)) == nil)
    }
}
