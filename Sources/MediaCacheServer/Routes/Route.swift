public import HTTPTypes

/// One part of the server's paths. The API is made of these, and an app or a command can add its own.
public protocol Route: Sendable {
    /// The paths answered here. One that ends in `/` stands for all that begin with it; the longest wins.
    var paths: [String] { get }

    /// Who may ask.
    var access: RouteAccess { get }

    /// The longest body in bytes that is read for a request; 0 where the path takes none. A longer one is answered with
    /// 413. Unless implemented, ``ServerLimits/maximumBodyBytes``, and 0 for `GET` and `HEAD`.
    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int

    /// Answers a request. What is thrown is told as a problem: ``Problem`` as it is, a `CacheError` by its code,
    /// anything else as 500.
    func respond(to request: RouteRequest) async throws -> RouteResponse
}

extension Route {
    /// Allows ``ServerLimits/maximumBodyBytes``, and nothing to `GET` and `HEAD`.
    public func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int {
        method == .get || method == .head ? 0 : limits.maximumBodyBytes
    }
}

/// Who may ask a route.
public enum RouteAccess: Sendable, Hashable {
    /// Everybody who can reach the server under an allowed name.
    case open
    /// Who sends the access key as `Authorization: Bearer`.
    case key
    /// Clients on this machine, clients with a token in the path (`/k/<token>` before it), and clients with the key as
    /// `Authorization: Bearer`. For players, which send no fields.
    case reader
}
