/// What a reader asks of the store: which resource, which part, how it is to be filled.
public struct ReadRequest: Sendable {
    /// The URL to read.
    public var url: ResourceURL
    /// The part to read. All of it unless set.
    public var range: RequestedRange
    /// How far beyond the reader the store fills.
    public var policy: FillPolicy
    /// How urgent the bytes are.
    public var transferClass: TransferClass
    /// Settings of this read alone; nil takes the store's.
    public var settings: TransferSettings?
    /// When the origin is asked whether what is kept is current. Beside the first use unless set.
    public var revalidation: Revalidation
    /// What the resource is to the reader: what transforms and observers go by.
    public var kind: ResourceKind
    /// Whether what is kept of the resource is pinned from its first byte: it's never evicted, and lies with what is
    /// kept.
    public var pins: Bool
    /// Whose transfer it is: what the scheduler ranks and limits it by. Nobody's unless set.
    public var group: TransferGroup?
    /// What it's kept as, in place of what the key policy makes of the URL; nil leaves that to the policy. For bytes that
    /// are to stay as they came, whatever their origin gives under the same URL later. No two resources may have one.
    package var name: String?
    /// Whether reading it is using it: what is used goes last when room is made. Looking what is kept isn't.
    package var countsAsUse = true
    /// Whether the range is asked for as it stands, without a read-ahead.
    var isExact = false

    /// Whether a pinned version that the origin has replaced may be read where the origin doesn't give a newer one.
    var acceptsOlderVersion: Bool { !isExact && !revalidation.isSince }

    /// Creates a request.
    public init(
        url: ResourceURL,
        range: RequestedRange = .all,
        policy: FillPolicy = .onDemand,
        transferClass: TransferClass = .playback,
        settings: TransferSettings? = nil,
        revalidation: Revalidation = .beside,
        kind: ResourceKind = .file,
        pins: Bool = false,
        group: TransferGroup? = nil
    ) {
        self.url = url
        self.range = range
        self.policy = policy
        self.transferClass = transferClass
        self.settings = settings
        self.revalidation = revalidation
        self.kind = kind
        self.pins = pins
        self.group = group
    }
}

/// When the origin is asked whether what is kept is current, where the origin itself says nothing of it. If it can't be
/// reached, what is kept is used in any case, and marked stale, but for ``since(_:)``.
public enum Revalidation: Sendable, Hashable {
    /// Not at all.
    case never
    /// Beside the first use after opening, and then daily: what is kept is used at once.
    case beside
    /// Before this use, unless that was within the last 5 s, in which players open twice what they have just looked at;
    /// while the origin can't be reached, within the last minute.
    case before
    /// Before this use, unless the origin has confirmed it in answer to a request that began at or after a moment of
    /// ``CacheStore/monotonicTime``: for names that are given again, and mean something else from a moment on. What no
    /// validator tells from another version is fetched anew, and what the origin doesn't confirm isn't used.
    case since(Duration)

    var isSince: Bool {
        if case .since = self { true } else { false }
    }
}

/// One part of a resource, as it can be asked for before its length is known (RFC 9110 §14.1.2).
public enum RequestedRange: Sendable, Hashable {
    /// From the first byte to the last.
    case all
    /// From an offset to the end.
    case from(Int64)
    /// From the first offset to the last, both inclusive; cut at the end of the resource.
    case closed(Int64, through: Int64)
    /// The last bytes; all of it if it's shorter.
    case suffix(Int64)

    /// The bytes this means in a resource of `length` bytes, or nil if it can't be satisfied.
    public func resolved(in length: Int64) -> Range<Int64>? {
        switch self {
        case .all: 0..<length
        case .from(let first): first < length ? first..<length : nil
        case .closed(let first, let last): first < length && first <= last ? first..<min(last, length - 1) + 1 : nil
        case .suffix(let count): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        }
    }

    /// The first byte, where it is known without the length.
    package var knownStart: Int64? {
        switch self {
        case .all: 0
        case .from(let first), .closed(let first, _): first
        case .suffix: nil
        }
    }
}

extension Int64 {
    /// This offset and `count` more, at most `Int64.max`: ranges come from players, and may end anywhere.
    package func clampedSum(_ count: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(count)
        return isOver ? .max : sum
    }
}

/// How far beyond its readers a resource is filled.
public enum FillPolicy: Sendable, Hashable {
    /// What is read, and a read-ahead that grows with sequential reading (``TransferSettings/readAhead``).
    case onDemand
    /// All of it: from the reader to the end, then what lies before.
    case whole
}

/// How urgent a transfer is. A higher class is always served first.
public enum TransferClass: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// What nobody waits for.
    case background
    /// What a person wants to have.
    case download
    /// What will play next.
    case preload
    /// What is recorded while it's there: it holds back for nobody, and nobody for it.
    case recording
    /// What plays now.
    case playback

    /// Whether it holds back while what plays is short of bytes, and for others on the link.
    var holdsBack: Bool { self < .recording }

    /// Whether `a` is the less urgent.
    public static func < (a: TransferClass, b: TransferClass) -> Bool { a.rawValue < b.rawValue }
}
