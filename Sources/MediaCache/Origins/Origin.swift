public import HTTPTypes

/// Where bytes come from: one HTTP exchange at a time.
///
/// An origin is a plain transport. It sends the request as it is, follows no redirect, keeps no cookie and no cache,
/// retries nothing, and decodes nothing; the engine does the checking and decides what comes next. Certificates are
/// always checked.
///
/// Implementations must
/// - hold little: read from the network only as fast as ``OriginBody/next()`` is called;
/// - throw ``CacheError`` with ``CacheError/Code/unreachable``, ``CacheError/Code/timedOut``,
///   ``CacheError/Code/badResponse`` (a body shorter than its `Content-Length`), ``CacheError/Code/forbiddenAddress``
///   or ``CacheError/Code/cancelled``;
/// - close the connection when the task that sends or reads is cancelled, or when the body is cancelled or let go.
///
/// `MediaCacheTesting` has the contract as tests.
public protocol Origin: Sendable {
    /// Sends `request` and returns when the response's head is here.
    func send(_ request: OriginRequest) async throws -> OriginResponse
}

/// A GET request as it goes to an origin.
public struct OriginRequest: Sendable {
    /// What is asked for.
    public var url: ResourceURL
    /// All header fields but `Host`, which follows from ``url``.
    public var headerFields: HTTPFields
    /// How long to wait for what.
    public var limits: TransferLimits
    /// Which addresses may be connected to. It's checked at the connected address, before a byte of the request.
    public var scope: AddressScope

    /// Creates a request.
    public init(
        url: ResourceURL,
        headerFields: HTTPFields = [:],
        limits: TransferLimits = TransferLimits(),
        scope: AddressScope = .any
    ) {
        self.url = url
        self.headerFields = headerFields
        self.limits = limits
        self.scope = scope
    }
}

/// How long an exchange may take where.
public struct TransferLimits: Sendable, Hashable {
    /// Until a connection stands, TLS included. 10 s unless set.
    public var connect: Duration
    /// From the request's last byte to the response's head. 20 s unless set.
    public var firstByte: Duration
    /// The longest time without a byte while the body is being asked for. 15 s unless set.
    public var stall: Duration

    /// Creates limits.
    public init(connect: Duration = .seconds(10), firstByte: Duration = .seconds(20), stall: Duration = .seconds(15)) {
        self.connect = connect
        self.firstByte = firstByte
        self.stall = stall
    }
}

/// A response's head, and its body to be read.
public struct OriginResponse: Sendable {
    /// The status code (RFC 9110 §15).
    public var status: Int
    /// The header fields as they came.
    public var headerFields: HTTPFields
    /// What kind of address answered.
    public var peer: AddressKind
    /// The content. It must be read to its end, cancelled, or let go.
    public var body: any OriginBody

    /// Creates a response.
    public init(status: Int, headerFields: HTTPFields, peer: AddressKind = .unknown, body: any OriginBody) {
        self.status = status
        self.headerFields = headerFields
        self.peer = peer
        self.body = body
    }
}

/// A response's content, read buffer by buffer by one reader.
public protocol OriginBody: AnyObject, Sendable {
    /// The next buffer, never empty, or nil at the end of a complete body.
    ///
    /// - Throws: ``CacheError``; ``CacheError/Code/badResponse`` if the body ended before its announced length.
    func next() async throws -> (any OriginBuffer)?

    /// Closes the exchange. What hasn't been read is lost.
    func cancel()
}

/// Bytes from an origin, in one piece of memory.
public protocol OriginBuffer: Sendable {
    /// How many bytes there are.
    var count: Int { get }

    /// Calls `body` with the bytes, which are valid only during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension Array: OriginBuffer where Element == UInt8 {}
