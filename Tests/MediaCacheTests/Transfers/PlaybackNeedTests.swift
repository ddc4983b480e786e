import Testing

@testable import MediaCache

struct PlaybackNeedTests {
    @Test func pausesOtherTransfersDuringWaitAndCalmPeriod() {
        var need = PlaybackNeed()
        #expect(!need.isHolding(now: .zero))
        need.begin(now: .seconds(1))
        need.begin(now: .seconds(1))
        need.end(now: .milliseconds(1020))
        #expect(need.isHolding(now: .seconds(10)))
        need.end(now: .milliseconds(1030))
        #expect(need.isHolding(now: .milliseconds(1149)))
        #expect(!need.isHolding(now: .milliseconds(1151)))
    }

    @Test func resumesOtherTransfersIfNoReaderReceivesBytes() {
        var need = PlaybackNeed()
        need.begin(now: .seconds(1))
        need.begin(now: .seconds(5))
        #expect(need.isHolding(now: .milliseconds(10_999)))
        #expect(!need.isHolding(now: .seconds(11)))
        // One of two readers receives bytes, so pausing other transfers helps again.
        need.end(now: .seconds(20))
        #expect(need.isHolding(now: .milliseconds(29_999)))
        #expect(!need.isHolding(now: .seconds(30)))
    }

    @Test func closesNoConnectionAfterShortWait() {
        var need = PlaybackNeed()
        for step in 0..<100 {
            need.begin(now: .milliseconds(step * 50))
            need.end(now: .milliseconds(step * 50 + 2))
            #expect(!need.isUrgent(now: .milliseconds(step * 50 + 2)))
        }
        need.begin(now: .seconds(10))
        #expect(!need.isUrgent(now: .milliseconds(10_049)))
        #expect(need.isUrgent(now: .milliseconds(10_050)))
    }

    /// Readers that play at the link's rate have many short waits.
    @Test func accumulatesShortWaits() {
        var need = PlaybackNeed()
        for step in 0..<20 {
            need.begin(now: .milliseconds(step * 6))
            need.end(now: .milliseconds(step * 6 + 5))
        }
        #expect(need.isUrgent(now: .milliseconds(120)))
    }

    @Test func extendsCalmPeriodAfterRecurringShortage() {
        var need = PlaybackNeed()
        var now = Duration.zero
        var calms: [Duration] = []
        for _ in 0..<3 {
            need.begin(now: now)
            now += .seconds(1)
            need.end(now: now)
            let calm = (need.calmFrom ?? .zero) - now
            calms.append(calm)
            now += calm + .milliseconds(10)
        }
        #expect(calms == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        need.begin(now: now + .seconds(600))
        need.end(now: now + .seconds(601))
        #expect(need.calmFrom == now + .milliseconds(601_250))
    }
}
