import Synchronization

/// A detector of playback shortages, during which other transfers (``TransferClass/holdsBack``) pause.
///
/// A shortage lasts while a playback reader waits for bytes. Other transfers resume after a calm period, which is
/// longer after long and repeated shortages. They also resume if pausing doesn't help, that is, if no waiting reader
/// has received anything for ``maximumHold``.
struct PlaybackNeed: Sendable {
    /// The duration of a shortage after which paused transfers close their connections, to free the link.
    static let patience = Duration.milliseconds(50)
    /// The calm period as a multiple of the duration of the shortage.
    private static let calmFactor = 4
    private static let maximumCalm = Duration.milliseconds(250)
    /// If a shortage of at least ``patience`` is followed by another within this multiple of its calm period, the
    /// factor that lengthens calm periods doubles.
    private static let relapseFactor = 8
    private static let maximumBackoff = 16
    /// The maximum time that other transfers pause while no waiting reader receives a byte.
    static let maximumHold = Duration.seconds(10)

    /// The number of waiting readers.
    private(set) var waiting = 0
    /// The time when the first reader began to wait, or a reader last stopped while others waited; nil if none waits.
    private var since: Duration?
    /// The time when the last reader stopped waiting.
    private var last: Duration?
    /// The total waiting time since the last calm period.
    private var shortTime = Duration.zero
    private var backoff = 1

    /// Records that a reader began to wait.
    mutating func begin(now: Duration) {
        if waiting == 0 {
            if !isHolding(now: now) {
                let isRelapse = last.map { now - $0 < calm * Self.relapseFactor } ?? false
                backoff = isRelapse && isUrgent(now: now) ? min(backoff * 2, Self.maximumBackoff) : 1
                shortTime = .zero
            }
            since = now
        }
        waiting += 1
    }

    /// Records that a reader stopped waiting.
    mutating func end(now: Duration) {
        waiting -= 1
        shortTime += now - (since ?? now)
        since = waiting > 0 ? now : nil
        if waiting == 0 { last = now }
    }

    /// Returns whether other transfers pause.
    func isHolding(now: Duration) -> Bool {
        if let since { return now - since < Self.maximumHold }
        return calmFrom.map { now < $0 } ?? false
    }

    /// The time when other transfers resume; nil while a reader waits, and before the first shortage.
    var calmFrom: Duration? { waiting > 0 ? nil : last.map { $0 + calm } }

    /// Returns whether paused transfers should close their connections.
    func isUrgent(now: Duration) -> Bool {
        shortTime + (since.map { now - $0 } ?? .zero) >= Self.patience
    }

    private var calm: Duration { min(shortTime * Self.calmFactor, Self.maximumCalm) * backoff }
}

/// A playback reader's wait for bytes, from ``begin()`` until ``end()`` or deallocation.
final class Shortage: Sendable {
    private enum Phase { case idle, running, over }

    private let traffic: Traffic
    /// The scheme and authority that the reader waits for; nil pauses transfers from all hosts.
    private let host: String?
    private let phase = Mutex(Phase.idle)

    init(_ traffic: Traffic, host: String? = nil) {
        self.traffic = traffic
        self.host = host
    }

    /// Creates the shortage of a reader. Returns nil if the class isn't playback, or if the reader waits for content
    /// that the origin doesn't have yet, since pausing other transfers wouldn't help.
    convenience init?(_ traffic: Traffic, of transferClass: TransferClass, _ settings: TransferSettings?, host: String)
    {
        guard transferClass == .playback, settings?.waitsForOrigin != true else { return nil }
        self.init(traffic, host: host)
    }

    deinit { end() }

    /// Starts the wait unless it has already started or ended.
    func begin() {
        phase.withLock { phase in
            guard phase == .idle else { return }
            phase = .running
            traffic.shortageBegan(at: host)
        }
    }

    func end() {
        let isRunning = phase.withLock { phase in
            defer { phase = .over }
            return phase == .running
        }
        if isRunning { traffic.shortageEnded(at: host) }
    }
}

extension Shortage? {
    /// Returns a function that ends the shortage and then calls `wake`.
    func wrapping(_ wake: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let self else { return wake }
        return {
            self.end()
            wake()
        }
    }
}
