/// The whole content of a resource in memory, for small and changing resources such as playlists.
public struct WholeBody: Sendable {
    /// The response head.
    public var head: ResourceHead
    /// The `Content-Encoding` of ``bytes`` in lower case if the origin applied one despite `Accept-Encoding: identity`;
    /// nil for cached bodies.
    public var contentCoding: String?
    /// The content.
    public var bytes: [UInt8]
    /// Whether the body's version was cached before the request, completely or in part.
    public var isCached: Bool
    /// Whether it replaces a cached version that the origin no longer has.
    package var replacesAnother = false
    /// The catalog number of the version that stores the complete body; nil if it isn't stored.
    package var version: Int64?
    /// The scope of the request that fetched the body; nil for a cached body.
    var scope: AddressScope?

    /// Creates a body.
    public init(head: ResourceHead, contentCoding: String? = nil, bytes: [UInt8], isCached: Bool = false) {
        self.head = head
        self.contentCoding = contentCoding
        self.bytes = bytes
        self.isCached = isCached
    }
}

/// A request for the whole content of a resource, with a function that decides whether to store it.
public struct WholeBodyRequest: Sendable {
    /// The URL to read.
    public var url: ResourceURL
    /// The maximum length in bytes of a body, both as received and after ``keeps`` and any ``ContentTransform``. A
    /// longer body is an error. 64 MiB by default.
    public var maximumLength: Int64
    /// The transfer class. ``TransferClass/playback`` by default.
    public var transferClass: TransferClass
    /// Settings for this read; nil for the store's.
    public var settings: TransferSettings?
    /// The policy for revalidating the cached content. ``Revalidation/beforeUse`` by default.
    public var revalidation: Revalidation
    /// The resource kind, which selects transforms and observers.
    public var kind: ResourceKind
    /// The group by which the scheduler ranks and limits the transfer. None by default.
    public var group: TransferGroup?
    /// The cache key, as in ``ReadRequest``; nil to use the key policy.
    package var name: String?
    /// Whether the read counts as a use for eviction, as in ``ReadRequest``.
    package var countsAsUse = true
    /// A function that returns whether to store a received body. A body that isn't stored is shared by concurrent
    /// callers only.
    ///
    /// Bodies with a content coding aren't stored, so the function may decode the body first. It receives the body
    /// before any ``ContentTransform``, and is called outside all locks. If it throws an error, the request fails.
    public var keeps: @Sendable (inout WholeBody) throws -> Bool

    /// Creates a request.
    public init(
        url: ResourceURL,
        maximumLength: Int64 = 64 << 20,
        transferClass: TransferClass = .playback,
        settings: TransferSettings? = nil,
        revalidation: Revalidation = .beforeUse,
        kind: ResourceKind = .file,
        group: TransferGroup? = nil,
        keeps: @escaping @Sendable (inout WholeBody) throws -> Bool
    ) {
        self.url = url
        self.maximumLength = maximumLength
        self.transferClass = transferClass
        self.settings = settings
        self.revalidation = revalidation
        self.kind = kind
        self.group = group
        self.keeps = keeps
    }
}
