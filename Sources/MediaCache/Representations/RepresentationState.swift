/// What a representation knows while it's open, and every decision about it: which bytes may be served, who waits for
/// which, what is to be filled next. Pure: it does no I/O and takes no lock; what is to be done comes back as a value.
package struct RepresentationState: Sendable {
    package typealias SessionID = Int
    package typealias FillID = Int

    /// A reader that waits for the byte at `position`.
    struct Waiter {
        var position: Int64
        var wake: @Sendable () -> Void
    }

    /// A fill under way: it writes `position..<limit`, in order.
    struct RunningFill {
        var position: Int64
        var limit: Int64
        /// Who reads it, and how urgently.
        var readers: [SessionID: TransferClass]
        /// Who wants all of it without reading it, and how urgently: then it goes on without readers.
        var wants: [WantID: TransferClass] = [:]
        /// For whom it was begun, if for one of those.
        var starter: WantID?
        /// The highest class of those for whom it runs; what it began with until the first has come and gone.
        var transferClass: TransferClass
        var cancel: (@Sendable () -> Void)?
        /// Whether a request has been sent for it.
        var hasAsked = false
        /// Whether the origin is sending: false from each request until its response.
        var hasHead = false
        /// Whether every reader and every want that it ran for has left.
        private(set) var isAbandoned = false
        /// How many times it has been abandoned.
        private(set) var abandonments = 0
        /// How things were when the grace period of an abandoned fill began; nil while none runs.
        var watch: (abandonment: Int, position: Int64)?
        /// Whether it was ended because it was abandoned.
        var isEnded = false
        /// Has the scheduler look at ``transferClass`` again, and begins a grace period. Called outside every lock.
        var standingChanged: (@Sendable () -> Void)?

        /// Whether anybody reads it, or wants all of it.
        var isOfInterest: Bool { !readers.isEmpty || !wants.isEmpty }

        private var classOfInterest: TransferClass {
            max(readers.values.max() ?? .background, wants.values.max() ?? .background)
        }

        mutating func join(_ session: SessionID, _ transferClass: TransferClass) -> (@Sendable () -> Void)? {
            readers[session] = transferClass
            return setStanding(max(self.transferClass, transferClass))
        }

        mutating func leave(_ session: SessionID) -> (@Sendable () -> Void)? {
            readers[session] = nil
            return setStanding(classOfInterest)
        }

        mutating func want(_ want: WantID, _ transferClass: TransferClass) -> (@Sendable () -> Void)? {
            wants[want] = transferClass
            return setStanding(max(self.transferClass, transferClass))
        }

        mutating func endWant(_ want: WantID) -> (@Sendable () -> Void)? {
            wants[want] = nil
            return setStanding(classOfInterest)
        }

        /// Abandons a fill that no reader has joined: the last session of the representation has ended.
        mutating func abandonIfUnread() -> (@Sendable () -> Void)? {
            isOfInterest ? nil : setStanding(.background)
        }

        /// Ends the fill. Without a response it covers no byte any more: readers plan as if it didn't exist.
        mutating func end() -> (@Sendable () -> Void)? {
            isEnded = true
            if !hasHead { limit = position }
            return cancel
        }

        private mutating func setStanding(_ transferClass: TransferClass) -> (@Sendable () -> Void)? {
            let wasAbandoned = isAbandoned
            isAbandoned = !isOfInterest
            if isAbandoned, !wasAbandoned { abandonments += 1 }
            guard self.transferClass != transferClass || isAbandoned != wasAbandoned else { return nil }
            self.transferClass = transferClass
            return standingChanged
        }
    }

    /// A fill to be started.
    package struct FillPlan: Sendable, Hashable {
        package var id: FillID
        package var range: Range<Int64>
        /// Whether the bytes before it came in an earlier opening, so that a weak validator has to be helped out by
        /// comparing them.
        package var resumes: Bool
        /// Whether no validator tells versions apart and nothing lies before it to be compared, so that some bytes
        /// that are here have to be asked for again first.
        package var probes: Bool
    }

    /// What is to be done outside the lock after a reader was answered.
    struct Work {
        var plans: [FillPlan] = []
        /// To be called without the representation's lock.
        var calls: [@Sendable () -> Void] = []
        /// The wakes of other readers, to be called without any lock.
        var wakes: [@Sendable () -> Void] = []
    }

    /// What a reader gets.
    enum Answer {
        /// Bytes up to `until` may be read; ask again when the reader is at `planAt`, or at `until`.
        case available(until: Int64, planAt: Int64)
        case wait
        /// Bytes are here that haven't been verified since opening.
        case verify(Range<Int64>)
        case end
        /// The hole can't be filled into the blob: read up to `until` past it.
        case passThrough(until: Int64)
        case failed(CacheError)

        var asksOrigin: Bool {
            switch self {
            case .wait, .passThrough: true
            case .available, .verify, .end, .failed: false
            }
        }
    }

    /// If a fill is this near, waiting for it is always quicker than asking anew.
    static let nearDistance: Int64 = 256 << 10
    /// How long an abandoned fill goes on at least where no other transfer needs its connection: the origin has sent
    /// bytes already, and would send them again to a reader that comes back.
    static let abandonmentGrace = Duration.seconds(1)
    /// After that it goes on where this many bytes are missing at most, and arrive within ``finishTime``.
    static let finishDistance: Int64 = 1 << 20
    static let finishTime = Duration.milliseconds(500)
    /// How far a reader goes past the blob before it's asked whether bytes can be kept again.
    static let passDistance: Int64 = 8 << 20

    package var head: ResourceHead
    package var freshness: Freshness
    package var ignoresRanges: Bool
    package var isSuperseded = false
    /// Whether readers want it made by another transform: it goes when it has no readers.
    var isReplaced = false
    /// What made its bytes of the origin's.
    let transform: AppliedTransform?
    /// What it is to who read it last.
    var kind = ResourceKind.file
    /// Why bytes can't be written, if they can't.
    package var keepFailure: CacheError?
    /// Why they can't as long as the store is open; nil if they might.
    var folderFailure: CacheError? {
        didSet { keepFailure = folderFailure }
    }
    package internal(set) var written: SpanMap
    /// Bytes of which the origin has said that they may not be kept, as long as somebody reads.
    var forbidden = SpanMap()
    /// The part of ``written`` that came in this opening or was compared with its checksums since.
    package internal(set) var verified = SpanMap()
    /// The part of ``written`` that came in this opening.
    var arrived = SpanMap()
    var checksums: BlockChecksums
    package internal(set) var uncommittedBytes: Int64 = 0
    var needsCommit = false
    /// Spans that were here, whose bytes were found to be damaged or gone, and that haven't come again. The catalog
    /// knows them.
    package internal(set) var lost: SpanMap
    /// The part of ``lost`` that wasn't in the blob at opening.
    var lostAtOpening = SpanMap()

    /// How many times bytes have been given up: what a session knows to be available may not be any more.
    var losses = 0
    var nextID = 0
    var sessions: Set<SessionID> = []
    var waiters: [SessionID: Waiter] = [:]
    var failures: [SessionID: CacheError] = [:]
    var fills: [FillID: RunningFill] = [:]
    /// Who wants bytes without reading them, and why the fill failed that was begun for it.
    var wants: Set<WantID> = []
    var failedWants: [WantID: CacheError] = [:]
    var rate = TransferRate()
    /// Where sessions ended a moment ago and how far they read ahead: a player that reads in small ranges goes on there.
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

    package var isComplete: Bool { head.length.map { written.byteCount == $0 } ?? false }

    /// Whether nothing but bytes tells this version from another of the same length.
    var isUntold: Bool { head.validator.strongEntityTag == nil && head.validator.lastModified == nil }

    package var isInUse: Bool { !sessions.isEmpty || !fills.isEmpty }

    package var length: Int64 { head.length ?? .max }
}
