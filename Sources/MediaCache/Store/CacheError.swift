public import Foundation

/// An error of the cache: a code for programs, a message for users, and the underlying error.
public struct CacheError: Error, Sendable {
    /// The kinds of failure. Compare codes, since messages may change.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // The order determines the numbers of `NSError`, so codes are never removed, and new ones are added at the end.

        /// The task or the read session was cancelled.
        case cancelled
        /// The URL isn't a valid http or https URL, or is longer than 16 KiB.
        case invalidURL
        /// A setting is invalid or can't be read, such as a cookie file.
        case invalidSetting
        /// The origin couldn't be reached: no address, connection refused, TLS failure, or connection reset.
        case unreachable
        /// The address rule forbids contacting the origin's address (see ``AddressScope``).
        case forbiddenAddress
        /// A time limit expired while connecting, before the response head, or within the body.
        case timedOut
        /// The origin responded with an error status (see ``CacheError/status``).
        case originStatus
        /// The response contradicts the request or itself: a wrong `Content-Range`, a content coding that wasn't
        /// requested, a body shorter or longer than announced, or a redirect loop. Also a body that exceeds the
        /// caller's limit, and a failed ``ContentTransform``.
        case badResponse
        /// The origin sent a document where media was expected, such as a login or an error page, or an empty body.
        case notMedia
        /// The resource changed at the origin while this version was being read, or bytes passed to the store belong to
        /// a version other than the cached one.
        case representationChanged
        /// The requested range is outside the resource (RFC 9110 §15.5.17).
        case rangeNotSatisfiable
        /// The resource, or the requested part of it, isn't cached.
        case notFound
        /// Another process owns the cache folder.
        case folderOwned
        /// The folder was written by a newer version of this library.
        case newerFormat
        /// The store is closed or suspended.
        case closed
        /// The cache folder can't be read or written, it has no space left, or the content may not be stored.
        case storage
        /// The catalog or one of its records is damaged. Damaged bytes of a resource are fetched again without an
        /// error.
        case damaged
    }

    /// The kind of failure.
    public var code: Code
    /// A message for users.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?
    /// The HTTP status of the origin's response, if it is an error status, such as 404 or 416.
    public var status: Int?
    /// The waiting time requested by the origin (`Retry-After`, RFC 9110 §10.2.3), at most one day.
    public var retryAfter: Duration?
    /// The complete length of the resource in bytes, for ``Code/rangeNotSatisfiable``; for ``Code/badResponse``, a
    /// length that contradicts the known one.
    public var completeLength: Int64?
    /// The content coding of a body for which none was requested, for ``Code/badResponse``.
    public var contentCoding: String?
    /// Whether another attempt would fail, too, because the response violates HTTP or may not be stored.
    package var isByRule = false

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, cause: (any Error)? = nil, status: Int? = nil, retryAfter: Duration? = nil,
        completeLength: Int64? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.status = status
        self.retryAfter = retryAfter
        self.completeLength = completeLength
    }

    /// Whether the origin failed, so that a copy of the resource at another origin may be used instead.
    package var isFailureOfOrigin: Bool {
        switch code {
        case .unreachable, .timedOut, .originStatus, .badResponse, .notMedia: true
        case .cancelled, .invalidURL, .invalidSetting, .forbiddenAddress, .representationChanged, .rangeNotSatisfiable,
            .notFound, .folderOwned, .newerFormat, .closed, .storage, .damaged:
            false
        }
    }

    /// Whether another attempt may succeed, immediately or later.
    public var isRetryable: Bool {
        switch code {
        case .badResponse: !isByRule
        case .originStatus: status.map { $0 == 408 || $0 == 425 || $0 == 429 || $0 >= 500 } ?? true
        default: isFailureOfOrigin
        }
    }
}

extension CacheError: CustomStringConvertible {
    /// The message followed by the cause.
    public var description: String {
        cause.map { "\(message) (\($0))" } ?? message
    }
}

extension CacheError: LocalizedError, CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "MediaCache.CacheError" }

    /// The number of the error's ``code`` as an `NSError`: its position in the declaration, counted from 1. It's the
    /// same in all versions of the library.
    public var errorCode: Int { (Code.allCases.firstIndex(of: code) ?? 0) + 1 }

    /// The user information of the error as an `NSError`: its ``message``, its ``cause``, and the code's name
    /// (`MediaCacheErrorCode`). It contains strings and errors only, because players pass errors between processes.
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = [
            NSLocalizedDescriptionKey: message, "MediaCacheErrorCode": code.rawValue,
        ]
        information[NSUnderlyingErrorKey] = cause
        return information
    }

    /// The ``message``.
    public var errorDescription: String? { message }
    /// The description of the ``cause``; nil if there is none.
    public var failureReason: String? { cause.map { "\($0)" } }
}

extension CacheError {
    /// Returns the error for missing bytes of `url` that may not be requested.
    static func notCached(_ url: ResourceURL, from offset: Int64? = nil) -> CacheError {
        let part = offset.map { " from byte \($0) on" } ?? ""
        return CacheError(.notFound, "\(url) isn't cached\(part), and requests to its origin are disabled")
    }

    /// Creates the error for a body with a content coding that wasn't requested and can't be removed.
    package init(unrequestedCoding coding: String, of name: String) {
        self.init(
            .badResponse,
            "\(name) was sent with Content-Encoding “\(coding)”, although the request accepts only identity")
        contentCoding = coding
        isByRule = true
    }

    /// Creates the error for an empty resource that should be media.
    init(empty url: ResourceURL, type: String) {
        self.init(.notMedia, "\(url) is empty, but should be media (\(type))")
        isByRule = true
    }

    /// Creates the error for bytes that a rule forbids storing.
    init(notStored reason: String) {
        self.init(.storage, reason)
        isByRule = true
    }

    /// Creates the error for a redirect that can't be followed (RFC 9110 §15.4).
    init(redirect message: String, cause: (any Error)? = nil) {
        self.init(.badResponse, message, cause: cause)
        isByRule = true
    }

    /// Returns `error` if it's a `CacheError`, a cancellation error for `CancellationError`, and otherwise a new error
    /// with `error` as its cause.
    package static func wrap(_ error: any Error, as code: Code, _ message: @autoclosure () -> String) -> CacheError {
        if let error = error as? CacheError { return error }
        if error is CancellationError { return CacheError(.cancelled, "the operation was cancelled") }
        return CacheError(code, message(), cause: error)
    }

    /// Returns the result of `body`, and wraps its errors as ``wrap(_:as:_:)`` does, with ``Code/storage``.
    static func wrapping<Result>(
        _ message: @autoclosure () -> String, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw wrap(error, as: .storage, message())
        }
    }
}
