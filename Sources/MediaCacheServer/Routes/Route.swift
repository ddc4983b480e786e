public import HTTPTypes

/// A handler for paths of the server. Apps and commands can add their own; see
/// ``CacheServer/init(store:key:keyFile:configuration:routes:)``.
public protocol Route: Sendable {
    /// The paths that the route answers. A path with a slash at the end includes all paths below it. The longest match
    /// wins.
    var paths: [String] { get }

    /// The clients that the route admits.
    var access: RouteAccess { get }

    /// Returns the length limit of a request's body in bytes; 0 if the path takes none. A longer body is answered with
    /// 413. By default, the limit is ``ServerLimits/maximumBodyBytes``, and 0 for `GET` and `HEAD`.
    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int

    /// Answers a request.
    ///
    /// - Throws: Any error. It is answered as a problem (RFC 9457): a `Problem` unchanged, a `CacheError` by its code,
    ///   any other error with the status 500.
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
    /// Every client that names an allowed host.
    case open
    /// Clients with the API key as `Authorization: Bearer`.
    case key
    /// Clients on this machine, clients with a token before the path (`/k/<token>`), and clients with the API key as
    /// `Authorization: Bearer`. Intended for players, which can't send header fields.
    case reader
}
