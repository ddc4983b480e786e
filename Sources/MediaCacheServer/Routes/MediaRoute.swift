import HTTPTypes
import MediaCache
import MediaCacheAPI

/// A route that answers with media: the server handles ranges, conditions and back pressure.
protocol MediaRoute: Route {
    /// Whether the path itself holds a token, which ``opener(for:)`` checks.
    var isAdmittedByPath: Bool { get }

    /// Returns the opener of the requested media.
    ///
    /// - Throws: ``Problem`` or `CacheError` for a request that is invalid or isn't admitted.
    func opener(for request: MediaRequest) throws -> any ReaderOpener
}

extension MediaRoute {
    var isAdmittedByPath: Bool { false }

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        throw Problem.nothingAtPath
    }
}

/// A request for media. Header fields are left out: the server handles ranges and conditions.
struct MediaRequest {
    private let gate: RequestGate
    /// The path, without a token before it.
    let path: String
    /// The connection's most recent play target.
    private let playTargets: PlayTargetCache

    init(_ gate: RequestGate, path: String, playTargets: PlayTargetCache) {
        self.gate = gate
        self.path = path
        self.playTargets = playTargets
    }

    /// The query without its `?`; empty if there is none.
    var query: String { gate.query }

    /// Returns the target of a play URL, and the digest of its token.
    ///
    /// - Throws: `CacheError` with `invalidURL`.
    func playTarget() throws -> (target: PlayTarget, digest: TokenDigest) { try playTargets.target(gate.target) }

    /// Returns the decoded value of the first query item of this name.
    func queryItem(_ name: String) -> String? { QueryItems(query)[name] }

    /// Returns the Boolean value of the first query item of this name; false without one.
    ///
    /// - Throws: ``Problem`` for a value that is neither true nor false.
    func flag(_ name: String) throws -> Bool { try QueryItems(query).flag(name) }
}

/// An opener of readers for one request.
protocol ReaderOpener: Sendable {
    /// The resource's name in messages.
    var name: String { get }
    /// Returns a reader if that is possible without waiting.
    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)?
    /// Returns a reader when the head is known.
    func reader(_ range: RequestedRange) async throws -> any ByteReader
}

extension ReaderOpener {
    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? { nil }
}
