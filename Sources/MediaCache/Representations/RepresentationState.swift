/// The state of an open representation, and all decisions about it: which bytes may be served, which readers are woken,
/// and which fills start. It performs no I/O and acquires no locks; it returns the actions to take as values.
package struct RepresentationState: Sendable {
    package typealias SessionID = Int
    package typealias FillID = Int

    /// A reader waiting for the byte at `position`.
    struct Waiter {
        var position: Int64
        var wake: @Sendable () -> Void
    }

    /// A running fill, which writes `position..<limit` in order.
    struct RunningFill {
        var position: Int64
        var limit: Int64
        /// The sessions and demands that need the fill, which have distinct numbers, and their transfer classes.
        private(set) var users: [Int: TransferClass]
        /// The session or demand that started the fill, if one did.
        let starter: Int?
        /// The highest class of the readers and demands. Until the first one leaves, at least the initial class; after
        /// the last one has left, the background class unless the fill is about to finish.
        var transferClass: TransferClass
        var cancel: (@Sendable () -> Void)?
        /// Whether a request has been sent.
        var hasRequested = false
        /// Whether the response head has been received since the last request.
        var hasHead = false
        /// Whether all readers and demands have left.
        private(set) var isAbandoned = false
        /// The number of times it has been abandoned.
        private(set) var abandonments = 0
        /// The state at the start of the current grace period; nil while none runs.
        var watch: (abandonment: Int, position: Int64)?
        /// Whether it was ended because it was abandoned.
        var isEnded = false
        /// A function that passes a changed ``transferClass`` to the scheduler, and starts a grace period if the fill
        /// is abandoned. Called outside all locks.
        var priorityChanged: (@Sendable () -> Void)?

        init(_ range: Range<Int64>, for starter: Int?, transferClass: TransferClass) {
            (position, limit) = (range.lowerBound, range.upperBound)
            users = starter.map { [$0: transferClass] } ?? [:]
            self.starter = starter
            self.transferClass = transferClass
        }

        /// Whether a reader or a demand needs it.
        var isNeeded: Bool { !users.isEmpty }

        mutating func join(_ user: Int, _ transferClass: TransferClass) -> (@Sendable () -> Void)? {
            users[user] = transferClass
            return setPriority(max(self.transferClass, transferClass))
        }

        mutating func leave(_ user: Int) -> (@Sendable () -> Void)? {
            users[user] = nil
            return setPriority(users.values.max() ?? .background)
        }

        /// Abandons the fill unless a demand needs it. Called when the last session of the representation ends.
        mutating func abandonIfUnread() -> (@Sendable () -> Void)? {
            isNeeded ? nil : setPriority(.background)
        }

        /// Ends the fill. Without a response head, it gives up its range. Returns the function that cancels it.
        mutating func end() -> (@Sendable () -> Void)? {
            isEnded = true
            if !hasHead { limit = position }
            return cancel
        }

        private mutating func setPriority(_ transferClass: TransferClass) -> (@Sendable () -> Void)? {
            let wasAbandoned = isAbandoned
            isAbandoned = !isNeeded
            if isAbandoned, !wasAbandoned { abandonments += 1 }
            guard self.transferClass != transferClass || isAbandoned != wasAbandoned else { return nil }
            self.transferClass = transferClass
            return priorityChanged
        }
    }

    /// A planned fill.
    package struct FillPlan: Sendable, Hashable {
        package var id: FillID
        package var range: Range<Int64>
        /// Whether the request also covers cached bytes before the range, which are compared with the response. True if
        /// there is no validator, or if these bytes were cached before the representation was opened. Has no effect if
        /// the version has a strong entity tag.
        package var resumes: Bool
        /// Whether other cached bytes must be requested and compared first, because there is no validator and no cached
        /// byte directly before the range.
        package var probes: Bool
    }

    /// The actions to take outside the lock after a reader's request.
    struct Work {
        var plans: [FillPlan] = []
        /// Calls to make without the representation's lock.
        var calls: [@Sendable () -> Void] = []
        /// The wake functions of other readers, called outside all locks.
        var wakes: [@Sendable () -> Void] = []
    }

    /// The next step of a reader.
    enum AdvanceResult {
        /// Bytes up to `until` may be read. The reader must advance again at `planAt` or `until`, whichever comes
        /// first.
        case available(until: Int64, planAt: Int64)
        /// Bytes are being fetched.
        case wait
        /// Cached bytes must be verified first.
        case verify(Range<Int64>)
        /// The range ends here.
        case end
        /// The hole can't be stored. Up to `until`, the reader receives bytes without storing them.
        case passThrough(until: Int64)
        case failed(CacheError)

        /// Whether the step needs a request to the origin.
        var needsOrigin: Bool {
            switch self {
            case .wait, .passThrough: true
            case .available, .verify, .end, .failed: false
            }
        }
    }

    /// The distance in bytes up to which waiting for a fill is always faster than a new request.
    static let nearDistance: Int64 = 256 << 10
    /// The minimum time that an abandoned fill continues unless another transfer needs its connection. If a reader
    /// returns, it can use the bytes already sent by the origin.
    static let abandonmentGrace = Duration.seconds(1)
    /// The number of missing bytes up to which an abandoned fill may finish, if they are expected to arrive within
    /// ``finishTime``.
    static let finishDistance: Int64 = 1 << 20
    static let finishTime = Duration.milliseconds(500)
    /// The number of bytes that a reader receives without storing them before it checks again whether bytes can be
    /// stored.
    static let passDistance: Int64 = 8 << 20

    package var head: ResourceHead
    /// The freshness of the response (RFC 9111).
    package var freshness: Freshness
    /// Whether the origin responds to range requests with the whole content.
    package var ignoresRanges: Bool
    /// Whether the origin has a newer representation.
    package var isSuperseded = false
    /// Whether readers now request another transform. The representation is removed when its last reader leaves.
    var isReplaced = false
    /// The transform that was applied to the origin's bytes.
    let transform: AppliedTransform?
    /// The resource kind requested by the last reader.
    var kind = ResourceKind.file
    /// The reason that bytes can't currently be stored; nil if they can.
    package var storingFailure: CacheError?
    /// The reason that no byte is ever stored, such as a read-only folder; nil if bytes are stored.
    var refusal: CacheError? {
        didSet { storingFailure = refusal }
    }
    /// The cached spans.
    package internal(set) var written: SpanMap
    /// Spans that the origin forbids storing. Reset when the first reader attaches.
    var forbidden = SpanMap()
    /// The part of ``written`` that was received or verified since the representation was opened.
    package internal(set) var verified = SpanMap()
    /// The part of ``written`` that was received since the representation was opened.
    var arrived = SpanMap()
    var checksums: BlockChecksums
    /// The number of written bytes that aren't committed yet.
    package internal(set) var uncommittedBytes: Int64 = 0
    var needsCommit = false
    /// Cached spans that were found damaged or missing, and haven't been received again.
    package internal(set) var lost: SpanMap
    /// The spans lost at opening because the blob was missing or too short, even if they have been received since.
    var lostAtOpening = SpanMap()

    /// The number of times that cached bytes were removed, after which sessions check again which are available.
    var losses = 0
    var nextID = 0
    var sessions: Set<SessionID> = []
    /// The number of callers that protect the representation from eviction and removal without reading it.
    var holds = 0
    var waiters: [SessionID: Waiter] = [:]
    var failures: [SessionID: CacheError] = [:]
    var fills: [FillID: RunningFill] = [:]
    var demands: Set<DemandID> = []
    /// The errors of fills, by the demands that started them.
    var failedDemands: [DemandID: CacheError] = [:]
    var rate = TransferRate()
    /// The ends and windows of recent sessions. A player that reads small ranges often continues at one of the ends.
    var recentEnds: [(position: Int64, window: Int64)] = []

    package init(
        head: ResourceHead, freshness: Freshness, ignoresRanges: Bool = false, written: SpanMap = SpanMap(),
        lost: SpanMap = SpanMap(), checksums: BlockChecksums = BlockChecksums(), transform: AppliedTransform? = nil,
        kind: ResourceKind = .file
    ) {
        self.transform = transform
        self.kind = kind
        self.head = head
        self.freshness = freshness
        self.ignoresRanges = ignoresRanges
        self.written = written
        self.lost = lost
        self.checksums = checksums
    }

    /// Creates the state of a version that the catalog lists.
    init(_ stored: StoredRepresentation, pages: [Int64: [UInt8]]) {
        self.init(
            head: stored.head, freshness: stored.freshness, ignoresRanges: stored.ignoresRanges, written: stored.spans,
            lost: stored.lost, checksums: BlockChecksums(encodedPages: pages), transform: stored.transform)
        isSuperseded = stored.isSuperseded
    }

    /// The reason that missing bytes of this version can't be fetched; nil if they can.
    var refillFailure: CacheError? {
        if isSuperseded {
            return CacheError(
                .representationChanged,
                "the resource has changed at the origin, so missing bytes of the cached version can't be fetched")
        }
        guard transform?.isWhole == true else { return nil }
        return CacheError(
            .representationChanged,
            "cached bytes were lost, and a whole-body transform applies; fetch the whole resource again")
    }

    /// Whether all bytes are cached.
    package var isComplete: Bool { head.length.map { written.byteCount == $0 } ?? false }

    /// Whether it's held, or has readers or fills.
    package var isInUse: Bool { holds > 0 || !sessions.isEmpty || !fills.isEmpty }

    /// The length in bytes; `Int64.max` while unknown.
    package var length: Int64 { head.length ?? .max }
}

/// Estimates of an origin's rate and latency, as moving averages.
struct TransferRate: Sendable {
    private(set) var bytesPerSecond = 0.0
    /// The time from the request to the first byte.
    private(set) var latency = Duration.milliseconds(100)

    mutating func add(bytes: Int64, in duration: Duration) {
        guard duration > .zero else { return }
        let sample = Double(bytes) / duration.seconds
        bytesPerSecond = bytesPerSecond == 0 ? sample : bytesPerSecond * 0.8 + sample * 0.2
    }

    mutating func add(latency sample: Duration) {
        latency = latency * 0.7 + sample * 0.3
    }

    /// Returns the estimated duration of a transfer; nil while the rate is unknown.
    func time(for bytes: Int64) -> Duration? {
        bytesPerSecond > 0 ? .seconds(Double(bytes) / bytesPerSecond) : nil
    }
}
