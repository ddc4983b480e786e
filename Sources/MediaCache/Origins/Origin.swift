public import HTTPTypes

/// The source of bytes, which performs one HTTP exchange at a time.
///
/// An origin is a plain transport. It sends the request unchanged, doesn't follow redirects, stores no cookies, caches
/// and retries nothing, and decodes nothing. The engine checks responses and decides about further requests.
/// Certificates are always verified.
///
/// Implementations must
/// - buffer little: read from the network only as fast as ``OriginBody/next()`` is called;
/// - throw ``CacheError`` with ``CacheError/Code/unreachable``, ``CacheError/Code/timedOut``,
///   ``CacheError/Code/badResponse`` (a body shorter than its `Content-Length`), ``CacheError/Code/forbiddenAddress``
///   or ``CacheError/Code/cancelled``;
/// - close the connection when the sending or reading task is cancelled, or when the body is cancelled or deallocated.
///
/// `MediaCacheTesting` contains tests of this contract.
public protocol Origin: Sendable {
    /// Sends a request, and returns when the response head has been received.
    func send(_ request: OriginRequest) async throws -> OriginResponse
}

/// A GET request to an origin.
public struct OriginRequest: Sendable {
    /// The requested URL.
    public var url: ResourceURL
    /// All header fields except `Host`, which follows from ``url``.
    public var headerFields: HTTPFields
    /// The time limits of the exchange.
    public var limits: TransferLimits
    /// The addresses that may be contacted. The connected address is checked before a byte of the request is sent.
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

/// The time limits of an exchange.
public struct TransferLimits: Sendable, Hashable {
    /// The limit for connecting, including TLS. 10 s unless set.
    public var connect: Duration
    /// The limit from the end of the request to the response head. 20 s unless set.
    public var firstByte: Duration
    /// The limit without a received byte while the reader waits for the body. 15 s unless set.
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

/// The content of a response, read by one reader buffer by buffer.
public protocol OriginBody: AnyObject, Sendable {
    /// Returns the next buffer, never empty; nil at the end of a complete body.
    ///
    /// - Throws: ``CacheError``, with ``CacheError/Code/badResponse`` if the body ended before its announced length.
    func next() async throws -> (any OriginBuffer)?

    /// Closes the exchange. Unread bytes are lost.
    func cancel()
}

/// Contiguous bytes from an origin.
public protocol OriginBuffer: Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Calls `body` with the bytes, which are valid only during the call.
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}

extension Array: OriginBuffer where Element == UInt8 {}

/// A transport's exchange as its reader uses it.
package protocol ReadableExchange: AnyObject, Sendable {
    /// Resumes the continuation with the next buffer, with nil at the end, or with the exchange's error.
    func read(_ continuation: CheckedContinuation<(any OriginBuffer)?, any Error>)
    /// Closes the exchange. Can be called at any time and repeatedly.
    func cancel()
}

/// The reader's end of an exchange. Its deallocation closes the exchange.
package final class ExchangeBody: OriginBody {
    private let exchange: any ReadableExchange

    package init(_ exchange: any ReadableExchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }

    package func next() async throws -> (any OriginBuffer)? {
        try await withTaskCancellationHandler {
            if Task.isCancelled { cancel() }
            return try await withCheckedThrowingContinuation { exchange.read($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    package func cancel() { exchange.cancel() }
}
