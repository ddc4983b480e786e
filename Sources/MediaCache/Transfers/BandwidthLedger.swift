/// The accounts of bandwidth limits, without side effects. An account records the time at which the bytes received so
/// far will be paid for at the permitted rate.
///
/// A transfer receives a piece of any size, then waits until the piece is paid for before it receives the next one.
/// Meanwhile, flow control delays the sender.
struct BandwidthLedger: Sendable {
    /// The amount that may be received without delay after a pause, as a duration at the permitted rate.
    static let burst = Duration.milliseconds(50)

    /// The account of one limit.
    struct Account: Sendable {
        private var paidUntil: Duration?

        /// Charges `bytes` at `rate` bytes per second. Returns the time when they are paid for.
        ///
        /// - Parameter debt: The maximum debt; any excess is waived. It's set for estimated rates, which may be wrong
        ///   and must not delay a transfer for long.
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
            // Debts at the previous rates are meaningless.
            guard limits != oldValue else { return }
            classAccounts = [:]
            totalAccounts = [:]
        }
    }
    private var classAccounts: [TransferClass: Account] = [:]
    /// The accounts of the total limit, one for each class. Each is charged for transfers of its class and of higher
    /// ones, so that lower classes wait for higher ones, but not the reverse.
    private var totalAccounts: [TransferClass: Account] = [:]

    init(limits: BandwidthLimits) {
        self.limits = limits
    }

    /// Charges the bytes received by a transfer to the accounts of its class. The total limit also charges them to the
    /// accounts of lower classes. Returns the time when the transfer may receive more; nil for immediately.
    mutating func charge(_ bytes: Int64, _ transferClass: TransferClass, now: Duration) -> Duration? {
        var end = now
        if let rate = limits.classes[transferClass] {
            end = max(end, classAccounts[transferClass, default: Account()].charge(bytes, rate: Double(rate), now: now))
        }
        if let rate = limits.total {
            for lower in TransferClass.allCases where lower <= transferClass {
                let paid = totalAccounts[lower, default: Account()].charge(bytes, rate: Double(rate), now: now)
                if lower == transferClass { end = max(end, paid) }
            }
        }
        return end > now ? end : nil
    }
}

/// The maximum bandwidth of transfers.
public struct BandwidthLimits: Sendable, Hashable {
    /// The total limit in bytes per second; nil for no limit. Higher classes have priority: playback waits only for
    /// other playback. The limit is exceeded briefly when a transfer of a higher class starts.
    public var total: Int64?
    /// The limits of classes in bytes per second. Other classes have no limit of their own.
    public var classes: [TransferClass: Int64]

    /// Creates limits.
    public init(total: Int64? = nil, classes: [TransferClass: Int64] = [:]) {
        self.total = total
        self.classes = classes
    }
}
