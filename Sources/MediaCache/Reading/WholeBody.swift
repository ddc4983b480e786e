/// A resource's whole content in memory: for what is small and may be another with each request, as playlists are.
public struct WholeBody: Sendable {
    /// What the response said of it.
    public var head: ResourceHead
    /// The `Content-Encoding` of ``bytes``, in lower case, if the origin sent one though it was asked for none. What is
    /// kept has none.
    public var contentCoding: String?
    /// The content.
    public var bytes: [UInt8]
    /// Whether it was kept before it was asked for.
    public var isKept: Bool
    /// Whether another version had been kept that the origin doesn't have any more.
    package var replacesAnother = false

    /// Creates a body.
    public init(head: ResourceHead, contentCoding: String? = nil, bytes: [UInt8], isKept: Bool = false) {
        self.head = head
        self.contentCoding = contentCoding
        self.bytes = bytes
        self.isKept = isKept
    }
}

/// What is asked of the store by somebody who wants the whole content, and decides by it whether it's kept.
public struct WholeBodyRequest: Sendable {
    /// The URL to read.
    public var url: ResourceURL
    /// The longest body that is taken, in bytes. 64 MiB unless set.
    public var maximumLength: Int64
    /// How urgent it is.
    public var transferClass: TransferClass
    /// Settings of this read alone; nil takes the store's.
    public var settings: TransferSettings?
    /// When the origin is asked whether what is kept is current: ``Revalidation/before`` unless set.
    public var revalidation: Revalidation
    /// What the resource is to the reader: what transforms and observers go by.
    public var kind: ResourceKind
    /// Whose transfer it is: what the scheduler ranks and limits it by. Nobody's unless set.
    public var group: TransferGroup?
    /// Whether reading it is using it, as in ``ReadRequest``.
    package var countsAsUse = true
    /// Whether a body that came from the origin is kept. One that isn't is shared by those who ask while it's on its
    /// way, and by nobody after them. May decode the body first: one in a content coding isn't kept. Sees it before any
    /// ``ContentTransform``. Called outside every lock; what it throws ends the request.
    public var keeps: @Sendable (inout WholeBody) throws -> Bool

    /// Creates a request.
    public init(
        url: ResourceURL,
        maximumLength: Int64 = 64 << 20,
        transferClass: TransferClass = .playback,
        settings: TransferSettings? = nil,
        revalidation: Revalidation = .before,
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
