/// One part of the server's paths. The API is made of these, and an app or a command can add its own.
public protocol Route: Sendable {
    /// The paths answered here. One that ends in `/` stands for all that begin with it; the longest wins.
    var paths: [String] { get }

    /// Who may ask.
    var access: RouteAccess { get }

    /// Answers a request. What is thrown is told as a problem: ``Problem`` as it is, a `CacheError` by its code,
    /// anything else as 500.
    func respond(to request: RouteRequest) async throws -> RouteResponse
}

/// Who may ask a route.
public enum RouteAccess: Sendable, Hashable {
    /// Everybody who can reach the server under an allowed name.
    case open
    /// Who sends the access key as `Authorization: Bearer`.
    case key
    /// Who is on this machine, and who has the key in the path: `/k/<key>` before it. To read with a player, which sends
    /// no fields.
    case reader
}
