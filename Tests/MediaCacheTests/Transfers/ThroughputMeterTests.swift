import Foundation
import Testing

@testable import MediaCache

struct ThroughputMeterTests {
    private func add(_ rate: Int64, to meter: inout ThroughputMeter, from start: Duration, for count: Int) -> Duration {
        for step in 0..<count { meter.add(rate / 100, now: start + .milliseconds(step * 10)) }
        return start + .milliseconds(count * 10)
    }

    @Test func weightsRecentMeasurements() throws {
        var meter = ThroughputMeter()
        #expect(meter.estimate(wallClock: Date(), now: .zero) == nil)
        let middle = add(1_000_000, to: &meter, from: .zero, for: 2000)
        #expect(abs(try #require(meter.bytesPerSecond) - 1_000_000) < 50_000)
        let end = add(4_000_000, to: &meter, from: middle, for: 1000)
        let rate = try #require(meter.bytesPerSecond)
        #expect(rate > 3_000_000 && rate < 4_000_000)
        let wallClock = Date(timeIntervalSince1970: 1000)
        let estimate = try #require(meter.estimate(wallClock: wallClock, now: end + .seconds(60)))
        #expect(abs(estimate.measured.timeIntervalSince1970 - 940) < 1)
    }

    @Test func ignoresIdleTime() throws {
        var meter = ThroughputMeter()
        let middle = add(1_000_000, to: &meter, from: .zero, for: 100)
        _ = add(1_000_000, to: &meter, from: middle + .seconds(100), for: 100)
        #expect(abs(try #require(meter.bytesPerSecond) - 1_000_000) < 50_000)
    }
}
