public import HTTPTypes

/// A handler for paths of the server. Apps and commands can add their own; see
/// ``CacheServer/init(store:key:keyFile:configuration:routes:)``.
public protocol Route: Sendable {
    /// The paths that the route handles. A path with a slash at the end, except `/`, includes all paths below it. The
    /// longest match wins.
    var paths: [String] { get }

    /// The clients that the route admits.
    var access: RouteAccess { get }

    /// Returns the maximum length of a request's body in bytes; 0 if the path accepts none. Longer bodies are refused
    /// with 413. If the path accepts none, a body of up to ``ServerLimits/maximumBodyBytes`` is discarded instead. The
    /// default is ``ServerLimits/maximumBodyBytes``, and 0 for `GET` and `HEAD`.
    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int

    /// Responds to a request.
    ///
    /// - Throws: Any error. The response is a problem (RFC 9457): a `Problem` is sent unchanged, a `CacheError` is
    ///   converted by its code, a `DecodingError` has status 400, a `CancellationError` 503, and any other error 500.
    func respond(to request: RouteRequest) async throws -> RouteResponse
}

extension Route {
    /// Returns ``ServerLimits/maximumBodyBytes``, and 0 for `GET` and `HEAD`.
    public func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int {
        method == .get || method == .head ? 0 : limits.maximumBodyBytes
    }
}

/// The clients that a route admits.
public enum RouteAccess: Sendable, Hashable {
    /// Every client that requests an allowed host.
    case open
    /// Clients with the API key as `Authorization: Bearer`.
    case key
    /// Clients on this machine, unless the server is exposed (``ServerConfiguration/isExposed``), clients with a token
    /// before the path (`/k/<token>`), and clients with the API key as `Authorization: Bearer`; with
    /// ``ServerConfiguration/publicRead``, every client. Intended for players, which can't send header fields.
    case reader
    /// Clients with the API key as `Authorization: Bearer`. The paths `/items`, `/library/…` and `/live/…` also admit
    /// clients with the library token before the path. Other tokens aren't sufficient, and neither is
    /// ``ServerConfiguration/publicRead`` or a connection from this machine.
    case library
}
