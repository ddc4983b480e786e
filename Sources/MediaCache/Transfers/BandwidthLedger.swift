/// Until when what was taken has been paid for, at the rate that a limit allows. Pure.
///
/// A transfer takes a piece, and the next when that one is paid for. So a piece may be of any size, and what can't be
/// taken waits in the network.
struct BandwidthLedger: Sendable {
    /// What may come at once after a pause, as time.
    static let burst = Duration.milliseconds(50)

    /// What one limit has been charged.
    struct Account: Sendable {
        private var paidUntil: Duration?

        /// Charges `bytes` at `rate` bytes a second. Returns when they are paid for.
        ///
        /// - Parameter debt: how far ahead at most they are charged; what is beyond is let off. A limit that is an estimate
        ///   may have been wrong, and must not be paid for long.
        mutating func charge(_ bytes: Int64, rate: Double, now: Duration, debt: Duration? = nil) -> Duration {
            let start = max(paidUntil ?? now - burst, now - burst)
            var end = start + .seconds(Double(bytes) / max(rate, 1))
            if let debt { end = min(end, now + debt) }
            paidUntil = end
            return end
        }
    }

    var limits: BandwidthLimits {
        didSet {
            // Debts at another rate mean nothing.
            guard limits != oldValue else { return }
            own = [:]
            shared = [:]
        }
    }
    private var own: [TransferClass: Account] = [:]
    /// What of the limit of all is taken by each class and those above it: a lower one waits for what they take, and they
    /// don't wait for it.
    private var shared: [TransferClass: Account] = [:]

    init(limits: BandwidthLimits) {
        self.limits = limits
    }

    /// Charges what a transfer took. Returns when it may take more; nil if that is now.
    mutating func charge(_ bytes: Int64, _ transferClass: TransferClass, now: Duration) -> Duration? {
        var end = now
        if let rate = limits.classes[transferClass] {
            end = max(end, own[transferClass, default: Account()].charge(bytes, rate: Double(rate), now: now))
        }
        if let rate = limits.total {
            for lower in TransferClass.allCases where lower <= transferClass {
                let paid = shared[lower, default: Account()].charge(bytes, rate: Double(rate), now: now)
                if lower == transferClass { end = max(end, paid) }
            }
        }
        return end > now ? end : nil
    }
}
