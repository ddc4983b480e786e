import HTTPTypes
import MediaCache
import MediaCacheAPI

/// A route that serves media. The server handles ranges, conditions and back pressure.
protocol MediaRoute: Route {
    /// Whether the path itself contains a token, which ``opener(for:)`` checks.
    var isAdmittedByPath: Bool { get }

    /// Returns the opener of the requested media.
    ///
    /// - Throws: ``Problem`` or `CacheError` if the request is invalid or not permitted.
    func opener(for request: MediaRequest) throws -> any ReaderOpener
}

extension MediaRoute {
    var isAdmittedByPath: Bool { false }

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse { throw Problem.unknownPath }
}

/// A request for media. It has no header fields, since the server handles ranges and conditions.
struct MediaRequest {
    let gate: RequestGate
    /// The path, without a preceding token.
    let path: String
    let playTargets: PlayTargetCache

    var query: String { gate.query }

    /// Returns the target of a play URL and the digest of its token.
    ///
    /// - Throws: `CacheError` with `invalidURL`.
    func playTarget() throws -> (target: PlayTarget, digest: TokenDigest) { try playTargets.target(gate.target) }
}

/// An opener of readers for one request.
protocol ReaderOpener: Sendable {
    /// The resource's name in messages.
    var name: String { get }
    /// Returns a reader if that doesn't require waiting; otherwise nil.
    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)?
    /// Returns a reader as soon as the head is known.
    func reader(_ range: RequestedRange) async throws -> any ByteReader
}

extension ReaderOpener {
    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? { nil }
}
