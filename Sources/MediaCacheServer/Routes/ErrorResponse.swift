import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The response to a failed request: a problem and its header fields. All errors of routes, readers and the store are
/// converted to responses here.
struct ErrorResponse: Sendable {
    var problem: Problem
    /// The length of the resource, for 416 (RFC 9110 §15.5.17).
    var completeLength: Int64?
    /// The delay that the origin requested.
    var retryAfter: Duration?

    init(_ problem: Problem) { self.problem = problem }

    /// Creates the response for an error.
    ///
    /// - Parameter isForPlayer: Whether the response is for a player. The description of a storage error then omits the
    ///   system's message.
    init(_ error: any Error, isForPlayer: Bool = false) {
        problem = Problem(error, isForPlayer: isForPlayer)
        guard let error = error as? CacheError else { return }
        if error.code == .rangeNotSatisfiable { completeLength = error.completeLength }
        retryAfter = error.retryAfter
    }

    /// The header fields, except those of the connection.
    var headerFields: HTTPFields {
        var fields = problem.headerFields
        if let completeLength {
            fields[.contentRange] = ContentRange(range: nil, completeLength: completeLength).fieldValue
        }
        if let retryAfter { fields[.retryAfter] = "\(retryAfter.components.seconds)" }
        return fields
    }
}

extension Problem {
    var json: [UInt8] { (try? APICoding.makeEncoder().encode(self)).map { Array($0) } ?? [] }

    var headerFields: HTTPFields {
        var fields: HTTPFields = [.contentType: Self.contentType, .cacheControl: "no-store"]
        if status == 401 { fields[.wwwAuthenticate] = "Bearer" }
        if code == "busy" { fields[.retryAfter] = "5" }
        if let allowed { fields[.allow] = allowed.joined(separator: ", ") }
        return fields
    }

    /// Creates the problem of an error.
    ///
    /// - Parameter isForPlayer: See ``ErrorResponse/init(_:isForPlayer:)``.
    init(_ error: any Error, isForPlayer: Bool = false) {
        switch error {
        case let problem as Problem: self = problem
        case let error as WindowOutOfRangeError:
            self = .notFound(error.description)
            recordedRanges = error.recordedRanges.map { TimeSpan($0) }
        case let error as CacheError:
            // Readers wrap errors of these types.
            switch error.cause {
            case let cause?
            where cause is Problem || cause is WindowOutOfRangeError || cause is ConcurrencyLimit.Exceeded:
                self.init(cause)
                return
            default: break
            }
            let (status, title) = Self.statusAndTitle(of: error)
            self.init(title: title, status: status, detail: error.message, code: error.code.rawValue)
            if error.code == .originStatus { originStatus = error.status }
            retryable = Self.isRetryable(error)
            if error.code == .storage, !isForPlayer { detail = error.description }
        case is ConcurrencyLimit.Exceeded: self = .busy
        // The client has disconnected, or the server is stopping.
        case is CancellationError: self.init(CacheError(.cancelled, "the request was cancelled"))
        case let error as DecodingError:
            self = .badRequest("the request body isn't valid for this path: \(error.reason)")
        default: self.init(title: "Internal error", status: 500, detail: "\(error)", code: Self.internalCode)
        }
    }

    /// The code of an unexpected error.
    static let internalCode = "internal"

    /// Returns whether the same request may succeed later. Unlike a reader of the cache, a client can send it to the
    /// server's next process, receive the new version of a resource, and wait for a repair of the storage.
    private static func isRetryable(_ error: CacheError) -> Bool {
        switch error.code {
        case .cancelled, .closed, .representationChanged: true
        case .storage: !error.isByRule
        default: error.isRetryable
        }
    }

    private static func statusAndTitle(of error: CacheError) -> (Int, String) {
        switch error.code {
        case .cancelled: (503, "Cancelled")
        case .invalidURL: (400, "Invalid URL")
        case .invalidSetting: (500, "Invalid server setting")
        case .unreachable: (502, "The origin can't be reached")
        case .forbiddenAddress: (403, "The origin's address isn't allowed")
        case .timedOut: (504, "The origin didn't respond in time")
        case .originStatus: statusAndTitle(ofOrigin: error.status)
        case .badResponse: (502, "The origin's response is invalid")
        case .notMedia: (502, "The content isn't usable media")
        case .representationChanged: (502, "The resource changed while it was being read")
        case .rangeNotSatisfiable: (416, "The range is outside the resource")
        case .notFound: (404, "Not found")
        case .folderOwned: (409, "The cache folder is in use")
        case .newerFormat: (500, "The cache folder has a newer format")
        case .damaged: (500, "The cache is damaged")
        case .storage where error.isByRule: (500, "The content can't be stored")
        case .storage where [ENOSPC, EDQUOT].contains((error.cause as? SystemError)?.number):
            (507, "No space left on the disk")
        case .storage: (500, "Storage failure")
        case .closed: (503, "The cache is closed")
        }
    }

    /// Returns the response status and the title for an origin's status. 400, 403, 404, 410 and 503 are passed on, 429
    /// becomes 503, and all others become 502, even 401: it would make the player prompt for a password for this
    /// server.
    private static func statusAndTitle(ofOrigin status: Int?) -> (Int, String) {
        switch status {
        case 400: (400, "The origin refused the request")
        case 403: (403, "The origin refused access to the resource")
        case 404: (404, "The origin doesn't have the resource")
        case 410: (410, "The origin has removed the resource")
        case 429, 503: (503, "The origin is overloaded")
        case .some(let status): (502, "The origin responded with \(status)")
        case nil: (502, "The origin responded with an error")
        }
    }

    /// The problem without URLs, for clients without a token, since URLs of origins may contain credentials.
    var withoutURLs: Problem {
        var problem = self
        problem.detail = Self.replacingURLs(in: detail.prefix(Self.maximumDetailLength))
        return problem
    }

    /// The maximum length of a detail for clients without a token, in characters. It may quote text sent by the client.
    private static let maximumDetailLength = 1024

    /// Replaces each URL by “its URL”. The time is linear, since any client can send such a text.
    private static func replacingURLs(in text: Substring) -> String {
        func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "+.-".unicodeScalars.contains(scalar))
        }
        var output = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            guard rest.starts(with: "://".unicodeScalars) else {
                output.append(scalar)
                rest.removeFirst()
                continue
            }
            while let last = output.last, isOfScheme(last) { output.removeLast() }
            output.append(contentsOf: "its URL".unicodeScalars)
            rest = rest.drop { !$0.properties.isWhitespace && !"“”\"".unicodeScalars.contains($0) }
        }
        return String(output)
    }
}

extension DecodingError {
    /// The cause in terms of JSON, for the author of the request.
    fileprivate var reason: String {
        switch self {
        case .keyNotFound(let key, let context): "“\(Self.path(context.codingPath + [key]))” is missing"
        case .valueNotFound(_, let context): "“\(Self.path(context.codingPath))” is null"
        case .typeMismatch(let type, let context) where context.codingPath.isEmpty:
            "it isn't \(Self.name(of: type))"
        case .typeMismatch(let type, let context): "“\(Self.path(context.codingPath))” isn't \(Self.name(of: type))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it isn't valid JSON"
        case .dataCorrupted(let context):
            "“\(Self.path(context.codingPath))” has an invalid value; docs/openapi.yaml lists the valid ones"
        @unknown default: "\(self)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// Returns the name of a type in JSON (RFC 8259 §3), with its article.
    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "a boolean"
        case is any BinaryInteger.Type: "an integer in the valid range"
        case is any BinaryFloatingPoint.Type: "a number"
        default: "\(type)".hasPrefix("Array") ? "an array" : "an object"
        }
    }
}
