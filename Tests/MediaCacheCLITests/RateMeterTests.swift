import Testing

@testable import MediaCacheCLI

struct RateMeterTests {
    @Test func needsTwoSamples() {
        var meter = RateMeter()
        #expect(meter.rate == nil)
        meter.note(bytes: 100, at: .seconds(1))
        #expect(meter.rate == nil)
        meter.note(bytes: 300, at: .seconds(2))
        #expect(meter.rate == 200)
    }

    @Test func ignoresSamplesBeforeWindow() {
        var meter = RateMeter(window: .seconds(5))
        for second in 0...10 { meter.note(bytes: Int64(second) * 1000, at: .seconds(second)) }
        for second in 11...20 { meter.note(bytes: 10_000, at: .seconds(second)) }
        #expect(meter.rate == 0)
    }

    @Test func decreasingAmountResetsMeter() {
        var meter = RateMeter()
        meter.note(bytes: 1000, at: .seconds(1))
        meter.note(bytes: 10, at: .seconds(2))
        #expect(meter.rate == nil)
        meter.note(bytes: 20, at: .seconds(3))
        #expect(meter.rate == 10)
    }
}
