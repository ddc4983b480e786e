/// What went wrong in the cache: a code to act on, a sentence for a person, and the error beneath it.
public struct CacheError: Error, Sendable {
    /// The kinds of failure. Compare codes; messages may change.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The caller cancelled, or the read session was cancelled.
        case cancelled
        /// The text is no URL that can be cached: no scheme, no host, or a scheme other than http and https.
        case invalidURL
        /// A setting can't be read, such as a cookie file.
        case invalidSetting
        /// The origin couldn't be reached: no address, refused, TLS, reset.
        case unreachable
        /// The origin's address may not be asked from here (see ``AddressScope``).
        case forbiddenAddress
        /// Nothing came for longer than the limit: connecting, the first byte, or in mid-body.
        case timedOut
        /// The origin answered with an error status, found in ``CacheError/status``.
        case originStatus
        /// The origin's answer contradicts the request or itself: a wrong `Content-Range`, a coded range, a body
        /// shorter or longer than announced, a redirect loop.
        case badResponse
        /// A document came where media was expected: a login or an error page.
        case notMedia
        /// The resource changed at the origin while this version was being read.
        case representationChanged
        /// The range asked for lies outside the resource (RFC 9110 §15.5.17).
        case rangeNotSatisfiable
        /// Nothing is kept under this key.
        case notFound
        /// Another process owns the cache folder.
        case folderOwned
        /// The folder was written by a newer version of this library.
        case newerFormat
        /// The store is closed or suspended.
        case closed
        /// The cache folder can't be read or written.
        case storage
        /// Bytes on disk don't match their checksum.
        case damaged
    }

    /// What kind of failure this is.
    public var code: Code
    /// One sentence that says what happened, where, and what can be done.
    public var message: String
    /// The error that led to this one, if any.
    public var cause: (any Error)?
    /// The origin's HTTP status, for ``Code/originStatus``.
    public var status: Int?
    /// How long the origin asked to wait (`Retry-After`, RFC 9110 §10.2.3).
    public var retryAfter: Duration?
    /// The complete length of the resource, for ``Code/rangeNotSatisfiable``.
    public var completeLength: Int64?
    /// The content coding that a body came in though none was asked for, for ``Code/badResponse``.
    public var contentCoding: String?
    /// Whether it follows from a rule, and would be the same again: the origin's own, for ``Code/badResponse``, or what
    /// may be kept, for ``Code/storage``.
    package var isByRule = false

    /// Creates an error.
    public init(
        _ code: Code,
        _ message: String,
        cause: (any Error)? = nil,
        status: Int? = nil,
        retryAfter: Duration? = nil,
        completeLength: Int64? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.status = status
        self.retryAfter = retryAfter
        self.completeLength = completeLength
    }

    /// Whether asking again, later or as it is, can help.
    public var isRetryable: Bool {
        switch code {
        case .unreachable, .timedOut, .notMedia: true
        case .badResponse: !isByRule
        case .originStatus: status.map { $0 == 408 || $0 == 425 || $0 == 429 || $0 >= 500 } ?? true
        default: false
        }
    }
}

extension CacheError: CustomStringConvertible {
    /// The message, with its cause.
    public var description: String {
        guard let cause else { return message }
        return "\(message) (\(cause))"
    }
}

extension CacheError {
    /// Bytes of `url` would have to be asked for, and may not be (``TransferSettings/asksOrigins``).
    static func notKept(_ url: ResourceURL, from offset: Int64? = nil) -> CacheError {
        let part = offset.map { " from byte \($0) on" } ?? ""
        return CacheError(.notFound, "\(url) isn't kept\(part), and its origin isn't to be asked")
    }

    /// A body came in a coding that can't be taken off, or not where it came.
    package init(unaskedCoding coding: String, of name: String) {
        self.init(.badResponse, "\(name) came with Content-Encoding “\(coding)” though identity was asked for")
        contentCoding = coding
        isByRule = true
    }

    /// A resource that should be media has no bytes: it's passed on, and never kept.
    init(empty url: ResourceURL, type: String) {
        self.init(.notMedia, "\(url) is empty, where there should be media (\(type))")
        isByRule = true
    }

    /// Why bytes aren't kept that there would be room for.
    init(notKept reason: String) {
        self.init(.storage, reason)
        isByRule = true
    }

    /// A redirect that can't be followed (RFC 9110 §15.4).
    init(redirect message: String, cause: (any Error)? = nil) {
        self.init(.badResponse, message, cause: cause)
        isByRule = true
    }

    /// `error` as a `CacheError`: itself, a cancellation, or wrapped under `code`.
    package static func wrap(_ error: any Error, as code: Code, _ message: @autoclosure () -> String) -> CacheError {
        if let error = error as? CacheError { return error }
        if error is CancellationError { return CacheError(.cancelled, "cancelled") }
        return CacheError(code, message(), cause: error)
    }
}
