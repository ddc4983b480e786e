import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI

extension Problem {
    /// The object as JSON.
    var json: [UInt8] {
        (try? APICoding.makeEncoder().encode(self)).map { Array($0) } ?? []
    }

    /// The header fields that it's sent with.
    var headerFields: HTTPFields {
        var fields: HTTPFields = [.contentType: Self.contentType, .cacheControl: "no-store"]
        if status == 401 { fields[.wwwAuthenticate] = "Bearer" }
        if code == "busy" { fields[.retryAfter] = "5" }
        if let allowed { fields[.allow] = allowed.joined(separator: ", ") }
        return fields
    }

    /// What was thrown, as the API tells it.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        // The client has left, so that nobody is told, or the server ends.
        case is CancellationError: self = PlayFailure.problem(for: CacheError(.cancelled, "the request was cancelled"))
        case let error as CacheError:
            self = PlayFailure.problem(for: error)
            // What the system said is the caller's to mend.
            if error.code == .storage { detail = error.description }
        case let error as DecodingError:
            self = .badRequest("the body isn't the JSON object that this path takes: \(error.words)")
        default:
            self.init(title: "Internal error", status: 500, detail: "\(error)", code: Self.internalCode)
        }
    }

    /// The problem without URLs, for clients without a key: URLs of origins may contain credentials.
    var withoutURLs: Problem {
        var problem = self
        problem.detail = Self.replacingURLs(in: detail.prefix(Self.longestPublicDetail))
        return problem
    }

    /// The longest detail, in characters, for clients without a key. It may quote what the client sent.
    private static let longestPublicDetail = 1024

    /// Replaces each URL by “its URL”, in one pass: any client can send such a text.
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

    /// The code of what should not happen.
    static let internalCode = "internal"

    static func badRequest(_ detail: String) -> Problem {
        Problem(title: "Bad request", status: 400, detail: detail, code: "badRequest")
    }

    /// It can't be so from where it stands now.
    static func conflict(_ detail: String) -> Problem {
        Problem(title: "Conflict", status: 409, detail: detail, code: "conflict")
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(title: "Not found", status: 404, detail: detail, code: "notFound")
    }

    /// - Parameter allowed: what the path does take, which every such answer has to say (RFC 9110 §15.5.6).
    static func methodNotAllowed(_ method: String, allowed: [HTTPRequest.Method]) -> Problem {
        // What can be read can be asked about.
        let names = allowed.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
        var problem = Problem(
            title: "Method not allowed",
            status: 405,
            detail: "\(method) means nothing for this path; it takes \(names.joined(separator: ", "))",
            code: "methodNotAllowed"
        )
        problem.allowed = names
        return problem
    }

    static let preconditionFailed = Problem(
        title: "Precondition failed",
        status: 412,
        detail: "it isn't as it was when it was read; read it again, and then decide",
        code: "preconditionFailed"
    )

    static let unauthorized = Problem(
        title: "Unauthorized",
        status: 401,
        detail: "send the cache's key, found in the file `key` of its folder, as `Authorization: Bearer <key>`",
        code: "unauthorized"
    )

    static let wrongToken = Problem(
        title: "Forbidden",
        status: 403,
        detail: "the token in this URL is unknown, expired or revoked, or doesn't open this path; ask for a new URL",
        code: "wrongToken"
    )

    static let tokenInPath = Problem(
        title: "Forbidden",
        status: 403,
        detail: "remote clients need a token for this path: read it as /k/<token>/…; `mediacache token create` "
            + "creates one",
        code: "unauthorized"
    )

    static let busy = Problem(
        title: "Service unavailable",
        status: 503,
        detail: "too many of this kind are being answered; try again in a moment",
        code: "busy"
    )

    static let tooManyConnections = Problem(
        title: "Service unavailable",
        status: 503,
        detail: "as many connections are open as this server takes; try again in a moment",
        code: "busy"
    )

    static let noDecoder = Problem(
        title: "Not implemented",
        status: 501,
        detail: "nothing here takes pictures out of films; `mediacache serve` does where ffmpeg is installed",
        code: "noDecoder"
    )

    static let misdirected = Problem(
        title: "Misdirected request",
        status: 421,
        detail: "this server doesn't answer under that host name; allow it with --allowed-host",
        code: "hostNotAllowed"
    )
}

extension DecodingError {
    /// What is wrong, for who wrote the JSON.
    fileprivate var words: String {
        switch self {
        case .keyNotFound(let key, let context): "“\(Self.path(context.codingPath + [key]))” is missing"
        case .valueNotFound(_, let context): "“\(Self.path(context.codingPath))” is null"
        case .typeMismatch(let type, let context) where context.codingPath.isEmpty:
            "it's no \(Self.name(of: type))"
        case .typeMismatch(let type, let context): "“\(Self.path(context.codingPath))” is no \(Self.name(of: type))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it isn't JSON"
        case .dataCorrupted(let context):
            "“\(Self.path(context.codingPath))” is nothing that it can be; docs/openapi.yaml says what that is"
        @unknown default: "\(self)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// As JSON calls it (RFC 8259 §3).
    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is any BinaryInteger.Type: "integer of its size"
        case is any BinaryFloatingPoint.Type: "number"
        default: "\(type)".hasPrefix("Array") ? "array" : "object"
        }
    }
}
