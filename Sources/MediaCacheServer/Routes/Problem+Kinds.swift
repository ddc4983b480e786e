import HTTPTypes
import MediaCacheAPI

extension Problem {
    static func badRequest(_ detail: String) -> Problem {
        Problem(title: "Bad request", status: 400, detail: detail, code: "badRequest")
    }

    /// Returns a problem for a change that the current state doesn't allow.
    static func conflict(_ detail: String) -> Problem {
        Problem(title: "Conflict", status: 409, detail: detail, code: "conflict")
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(title: "Not found", status: 404, detail: detail, code: "notFound")
    }

    static let unknownPath = notFound("there is nothing at this path")

    /// Returns a problem for a method that a path doesn't support.
    ///
    /// - Parameter allowed: The supported methods, which the response must list (RFC 9110 §15.5.6). `GET` includes
    ///   `HEAD`.
    static func methodNotAllowed(_ method: String, allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
        var problem = Problem(
            title: "Method not allowed", status: 405,
            detail: "this path doesn't support \(method); it supports \(names.joined(separator: ", "))",
            code: "methodNotAllowed")
        problem.allowed = names
        return problem
    }

    /// Returns a problem for cached media that the server can't convert to the requested format (RFC 9110 §15.5.21).
    static func notConvertible(_ detail: String) -> Problem {
        Problem(title: "Media can't be converted", status: 422, detail: detail, code: "notConvertible")
    }

    static let preconditionFailed = Problem(
        title: "Precondition failed", status: 412,
        detail: "the resource has changed since it was read; read it again before changing it",
        code: "preconditionFailed")

    static let unauthorized = Problem(
        title: "Unauthorized", status: 401,
        detail: "the API key is missing or wrong; send the key in the file `key` in the cache folder as "
            + "`Authorization: Bearer <key>`",
        code: "unauthorized")

    static let wrongToken = Problem(
        title: "Forbidden", status: 403,
        detail: "the token in this URL is unknown, expired or revoked, or doesn't allow this path; request a new URL",
        code: "wrongToken")

    static let tokenInPath = Problem(
        title: "Forbidden", status: 403,
        detail: "remote clients need a token for this path: use /k/<token>/…, and create the token with "
            + "`mediacache token create`",
        code: "unauthorized")

    static let busy = Problem(
        title: "Service unavailable", status: 503,
        detail: "too many requests of this kind are running; try again in a moment", code: "busy")

    static let tooManyConnections = Problem(
        title: "Service unavailable", status: 503,
        detail: "the server has reached its limit of connections; try again in a moment", code: "busy")

    static let noDecoder = Problem(
        title: "Not implemented", status: 501,
        detail: "this server has no decoder for video frames; `mediacache serve` uses ffmpeg if it is installed",
        code: "noDecoder")

    /// The problem of a server whose ``ServerConfiguration/runsDownloads`` is false.
    static let downloadsDisabled = Problem(
        title: "Downloads are disabled", status: 501,
        detail: "this server doesn't run downloads and recordings; start it with `runsDownloads` in its configuration, "
            + "or use the app that runs them",
        code: downloadsDisabledCode)

    static let misdirected = Problem(
        title: "Misdirected request", status: 421,
        detail: "this server doesn't accept requests for that host name; allow it with --allowed-host",
        code: "hostNotAllowed")
}
