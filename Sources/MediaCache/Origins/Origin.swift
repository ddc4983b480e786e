public import HTTPTypes

/// A transport for HTTP requests to origin servers.
///
/// It sends requests unchanged. It doesn't follow redirects, store cookies, cache, retry or decode. The engine checks
/// responses and decides about further requests. Certificates are always verified. Only a request with an idempotent
/// method may be sent again, if a reused connection ends before a byte of the response (RFC 9112 §9.3.1).
///
/// Implementations must
/// - buffer little, that is, read from the network only as fast as ``OriginBody/next()`` is called;
/// - throw ``CacheError`` with ``CacheError/Code/unreachable``, ``CacheError/Code/timedOut``,
///   ``CacheError/Code/badResponse`` (a body shorter than its `Content-Length`), ``CacheError/Code/forbiddenAddress``,
///   ``CacheError/Code/storage`` (unreadable content of the request) or ``CacheError/Code/cancelled``;
/// - close the connection when the sending or reading task is cancelled, or when the body is cancelled or deallocated.
///
/// `MediaCacheTesting` contains tests that check whether an implementation meets these requirements.
public protocol Origin: Sendable {
    /// Sends a request, and returns when the response head has been received.
    func send(_ request: OriginRequest) async throws -> OriginResponse
}

/// A request to an origin. The cache sends only GET requests; clients of other services send others.
///
/// A caller can sign a request: the transport sends the method, the target of ``url``, its authority as `Host`, the
/// header fields and the content as they are, and adds no `Content-Type` and no `Expect`. `MediaCacheURLSession`
/// documents its exceptions.
public struct OriginRequest: Sendable {
    /// The method (RFC 9110 §9), other than HEAD and CONNECT. GET by default.
    public var method = HTTPRequest.Method.get
    /// The requested URL.
    public var url: ResourceURL
    /// All header fields except `Host`, which follows from ``url``.
    public var headerFields: HTTPFields
    /// The content, sent with its length; nil for none.
    public var content: RequestContent?
    /// The time limits of the exchange.
    public var limits: TransferLimits
    /// The addresses that may be contacted. The transport checks this before it sends a byte.
    public var scope: AddressScope
    /// The function to call, on any thread, before the transport sends the request again.
    package var willRepeat: (@Sendable () -> Void)?

    /// Creates a GET request.
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

/// The time limits of an exchange.
public struct TransferLimits: Sendable, Hashable {
    /// The limit for connecting, including TLS. 10 s by default.
    public var connect: Duration
    /// The limit from the end of the request, including its content, to the response head. 20 s by default.
    public var firstByte: Duration
    /// The limit for a stall: the time during which the reader waits for the body without receiving 1 KiB, or the
    /// origin accepts no byte of the request's content. 15 s by default.
    public var stall: Duration

    /// Creates limits.
    public init(connect: Duration = .seconds(10), firstByte: Duration = .seconds(20), stall: Duration = .seconds(15)) {
        self.connect = connect
        self.firstByte = firstByte
        self.stall = stall
    }
}

/// A response head, and the body to be read.
public struct OriginResponse: Sendable {
    /// The status code (RFC 9110 §15).
    public var status: Int
    /// The header fields as received.
    public var headerFields: HTTPFields
    /// The kind of address that responded.
    public var peer: AddressKind
    /// The content. It must be read to its end, cancelled or released.
    public var body: any OriginBody

    /// Creates a response.
    public init(status: Int, headerFields: HTTPFields, peer: AddressKind = .unknown, body: any OriginBody) {
        self.status = status
        self.headerFields = headerFields
        self.peer = peer
        self.body = body
    }
}

/// The content of a response. It has one reader, which receives it in buffers.
public protocol OriginBody: AnyObject, Sendable {
    /// Returns the next buffer, never empty; nil at the end of a complete body.
    ///
    /// - Throws: ``CacheError``, with ``CacheError/Code/badResponse`` if the body ended before its announced length.
    func next() async throws -> (any OriginBuffer)?

    /// Closes the exchange. Unread bytes are lost.
    func cancel()

    /// The executor on whose threads the bytes are received; nil if they aren't tied to any. A task with this executor
    /// reads the bytes without changing threads, and may block on files there.
    var executor: (any TaskExecutor)? { get }
}

extension OriginBody {
    /// No executor: the store reads the bytes and writes them on threads of its own.
    public var executor: (any TaskExecutor)? { nil }
}

/// Contiguous bytes from an origin.
public protocol OriginBuffer: Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Calls `body` with the bytes, which are valid only during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension Array: OriginBuffer where Element == UInt8 {}
