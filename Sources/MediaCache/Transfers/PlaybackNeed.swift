/// Whether what plays is short of bytes, so that other transfers hold back: measured, not guessed. Pure.
///
/// What plays is short while a reader of it waits for bytes to come. Others come back when it hasn't been for some time:
/// the longer it was short, and the sooner it was short again, the longer. They also come back where holding back
/// doesn't help: no reader has received anything for ``longestHold``.
struct PlaybackNeed: Sendable {
    /// Who holds back for longer than this lets its connection go: what it was sent takes room on the link.
    static let patience = Duration.milliseconds(50)
    /// How long calm has to last, as a multiple of the time in which what plays was short.
    private static let calmFactor = 4
    private static let longestCalm = Duration.milliseconds(250)
    /// What plays and is short again within so many times the calm before it needs more of it.
    private static let relapseFactor = 8
    private static let longestBackoff = 16
    /// The longest time for which others hold back while no waiting reader receives a byte.
    static let longestHold = Duration.seconds(10)

    /// How many wait.
    private(set) var waiting = 0
    /// When the first reader began to wait, or the last received bytes while others went on waiting.
    private var since: Duration?
    /// When the last stopped.
    private var last: Duration?
    /// How long somebody waited, since it was calm.
    private var shortTime = Duration.zero
    private var backoff = 1

    /// Somebody waits.
    mutating func begin(now: Duration) {
        if waiting == 0 {
            if !isHolding(now: now) {
                let isRelapse = last.map { now - $0 < calm * Self.relapseFactor } ?? false
                backoff = isRelapse && isUrgent(now: now) ? min(backoff * 2, Self.longestBackoff) : 1
                shortTime = .zero
            }
            since = now
        }
        waiting += 1
    }

    /// One that waited doesn't any more.
    mutating func end(now: Duration) {
        waiting -= 1
        shortTime += now - (since ?? now)
        since = waiting > 0 ? now : nil
        guard waiting == 0 else { return }
        last = now
    }

    /// Whether others hold back.
    func isHolding(now: Duration) -> Bool {
        if let since { return now - since < Self.longestHold }
        return calmFrom.map { now < $0 } ?? false
    }

    /// From when on others come back, as things stand; nil while somebody waits, or if nobody ever has.
    var calmFrom: Duration? { waiting > 0 ? nil : last.map { $0 + calm } }

    /// Whether those who hold back are to let their connections go.
    func isUrgent(now: Duration) -> Bool {
        shortTime + (since.map { now - $0 } ?? .zero) >= Self.patience
    }

    private var calm: Duration { min(shortTime * Self.calmFactor, Self.longestCalm) * backoff }
}
