import Testing

@testable import MediaCache

struct BandwidthLedgerTests {
    /// Returns the number of 10,000-byte pieces that each of several transfers receives within a second.
    private func pieces(_ ledger: inout BandwidthLedger, _ classes: [TransferClass]) -> [Int] {
        var free = classes.map { _ in Duration.zero }
        var counts = classes.map { _ in 0 }
        while let next = free.indices.min(by: { free[$0] < free[$1] }), free[next] < .seconds(1) {
            let now = free[next]
            counts[next] += 1
            free[next] = ledger.charge(10_000, classes[next], now: now) ?? now
        }
        return counts
    }

    @Test func limitsClassRegardlessOfNumberOfTransfers() {
        var ledger = BandwidthLedger(limits: BandwidthLimits(classes: [.download: 1_000_000]))
        let counts = pieces(&ledger, Array(repeating: .download, count: 8))
        #expect((100...113).contains(counts.reduce(0, +)))
        #expect(counts.allSatisfy { (8...20).contains($0) })
    }

    @Test func servesPlaybackFirstWithinTotal() {
        var ledger = BandwidthLedger(limits: BandwidthLimits(total: 1_000_000))
        let counts = pieces(&ledger, [.download, .playback, .background])
        #expect((100...106).contains(counts[1]))
        #expect(counts[0] + counts[2] <= 25)
    }

    @Test func permitsUnlimitedClasses() {
        var ledger = BandwidthLedger(limits: BandwidthLimits(classes: [.download: 1000]))
        for _ in 0..<100 {
            let end = ledger.charge(1 << 20, .preload, now: .zero)
            #expect(end == nil)
        }
    }

    @Test func discardsDebtWhenLimitChanges() {
        var ledger = BandwidthLedger(limits: BandwidthLimits(total: 1000))
        _ = ledger.charge(1_000_000, .download, now: .zero)
        ledger.limits.total = 1_000_000
        let end = ledger.charge(100_000, .download, now: .zero)
        #expect(end == .milliseconds(50))
    }

    @Test func limitsDebtUnderEstimatedRate() {
        var account = BandwidthLedger.Account()
        for _ in 0..<16 {
            #expect(account.charge(1 << 20, rate: 65_536, now: .zero, debt: .seconds(1)) <= .seconds(1))
        }
    }
}
