/// A request to read a resource: its URL, the range, and how to fill it.
public struct ReadRequest: Sendable {
    /// The URL to read.
    public var url: ResourceURL
    /// The range to read. The whole resource by default.
    public var range: RequestedRange
    /// The extent to which the resource is filled. ``FillPolicy/onDemand`` by default.
    public var policy: FillPolicy
    /// The transfer class. ``TransferClass/playback`` by default.
    public var transferClass: TransferClass
    /// Settings for this read; nil for the store's.
    public var settings: TransferSettings?
    /// The policy for revalidating the cached content. ``Revalidation/inBackground`` by default.
    public var revalidation: Revalidation
    /// The resource kind, which selects transforms and observers. ``ResourceKind/file`` by default.
    public var kind: ResourceKind
    /// Whether to pin the resource before the first byte is received, which protects it from eviction.
    public var pins: Bool
    /// The group by which the scheduler ranks and limits the transfer. None by default.
    public var group: TransferGroup?
    /// The cache key; nil to use the key policy. It must identify one resource only. Use it for bytes that must be
    /// preserved even if the origin changes the content of the URL.
    package var name: String?
    /// Whether the read counts as a use for eviction. False for inspections of the cache.
    package var countsAsUse = true
    /// Whether exactly the range is requested, without read-ahead.
    var isExact = false
    /// Whether the response only confirms or replaces the current version. Its bytes aren't stored.
    var confirmsOnly = false

    /// Whether a pinned version that the origin has replaced may be read if the origin doesn't provide the newer one.
    var acceptsOlderVersion: Bool { !isExact && !revalidation.isSince }

    /// Returns a copy that requests only the first byte, to confirm or replace the current version.
    func confirming(_ kind: ResourceKind) -> ReadRequest {
        var request = self
        request.range = .closed(0, through: 0)
        request.isExact = true
        request.confirmsOnly = true
        request.kind = kind
        return request
    }

    /// Creates a request.
    public init(
        url: ResourceURL,
        range: RequestedRange = .all,
        policy: FillPolicy = .onDemand,
        transferClass: TransferClass = .playback,
        settings: TransferSettings? = nil,
        revalidation: Revalidation = .inBackground,
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

/// The policy for revalidating cached content with the origin.
///
/// With ``inBackground`` and ``beforeUse``, content isn't revalidated while it's fresh according to its response (RFC
/// 9111 §4.2), and is revalidated before use if the response requires it (`no-cache`, `must-revalidate`). If the origin
/// is unreachable, the cached content is used and marked as stale, except with ``since(_:)``.
public enum Revalidation: Sendable, Hashable {
    /// Never, even if the response requires revalidation.
    case never
    /// In the background, when the content is no longer fresh; without freshness information, at the first use after
    /// the store was opened and then daily. The cached content is used immediately, except that partial content that is
    /// no longer fresh is revalidated before use, for at most 2 s.
    case inBackground
    /// Before use, when the content is no longer fresh; without freshness information, unless the last revalidation was
    /// less than 5 s ago, since players often open a resource twice. While the origin is unreachable, unless the last
    /// attempt was less than a minute ago. If the origin doesn't respond within 2 s, the cached content is used unless
    /// its response requires revalidation, and the revalidation continues in the background.
    case beforeUse
    /// Before use, even if the content is fresh, unless the origin has confirmed it in response to a request sent at or
    /// after a moment of ``CacheStore/monotonicTime``, which must not be in the future. Use it for URLs whose content
    /// changes at a known moment. Content without a validator is fetched again, and unconfirmed content isn't used.
    case since(Duration)

    package var isSince: Bool {
        if case .since = self { true } else { false }
    }
}

/// A range of a resource, which can be requested before its length is known (RFC 9110 §14.1.2).
public enum RequestedRange: Sendable, Hashable {
    /// All bytes.
    case all
    /// From a byte offset to the end.
    case from(Int64)
    /// From the first byte offset to the last, both inclusive. The range may extend beyond the end of the resource.
    case closed(Int64, through: Int64)
    /// The given number of last bytes, or all bytes if the resource is shorter.
    case suffix(Int64)

    /// Returns the byte range within a resource of `length` bytes; nil if the range can't be satisfied. ``all`` is
    /// satisfied by an empty resource, too.
    public func resolved(in length: Int64) -> Range<Int64>? {
        switch self {
        case .all: 0..<length
        case .from(let first): first < length ? first..<length : nil
        case .closed(let first, let last): first < length && first <= last ? first..<min(last, length - 1) + 1 : nil
        case .suffix(let count): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        }
    }

    /// Returns the range from `start` to the exclusive `end`, or to the end of the resource if `end` is nil.
    package static func from(_ start: Int64, to end: Int64?) -> RequestedRange {
        end.map { .closed(start, through: $0 - 1) } ?? .from(start)
    }

    /// The offset of the first byte and the exclusive end, which is nil for the end of the resource; nil for a suffix.
    package var bounds: (start: Int64, end: Int64?)? {
        switch self {
        case .all: (0, nil)
        case .from(let first): (first, nil)
        case .closed(let first, let last): (first, last.clampedSum(1))
        case .suffix: nil
        }
    }

    /// The range of a resource of unknown length, in which an open-ended range ends at `Int64.max`; nil for a suffix.
    var unresolved: Range<Int64>? { bounds.map { $0.start..<max($0.start, $0.end ?? .max) } }

    /// Whether it's a ``suffix(_:)``.
    package var isSuffix: Bool { if case .suffix = self { true } else { false } }

    /// The field value of `Range` (RFC 9110 §14.2).
    package var fieldValue: String {
        switch self {
        case .all: "bytes=0-"
        case .from(let first): "bytes=\(first)-"
        case .closed(let first, let last): "bytes=\(first)-\(last)"
        case .suffix(let count): "bytes=-\(count)"
        }
    }

    /// The offset of the first byte; nil if it depends on the length.
    package var knownStart: Int64? { bounds?.start }
}

extension Int64 {
    /// Returns the sum, or `Int64.max` on overflow. Clients may request ranges with any end.
    package func clampedSum(_ count: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(count)
        return isOver ? .max : sum
    }
}

/// The extent to which a resource is filled beyond its readers' positions.
public enum FillPolicy: Sendable, Hashable {
    /// The requested bytes and a read-ahead, which grows with sequential reading (``TransferSettings/readAhead``).
    case onDemand
    /// All bytes: first from the reader's position to the end, then those before it.
    case whole
}

/// The priority class of a transfer. Higher classes are served first.
public enum TransferClass: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Work without a waiting user, such as covers and checks.
    case background
    /// Downloads.
    case download
    /// Content that plays next.
    case preload
    /// Recordings of live content. They neither pause for playback nor cause other transfers to pause.
    case recording
    /// Content that is playing.
    case playback

    /// Whether transfers of this class pause while playback waits for bytes, and yield to other traffic on the link.
    var holdsBack: Bool { self < .recording }

    /// Returns whether `a` is less urgent than `b`.
    public static func < (a: TransferClass, b: TransferClass) -> Bool { a.rawValue < b.rawValue }
}
