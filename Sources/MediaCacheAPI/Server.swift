internal import HTTPTypes
public import MediaCache

/// The response to `GET /api/v1/server`.
public struct ServerInfo: Codable, Sendable, Hashable {
    /// The version of MediaCache.
    public var version: String
    /// The ID of the process that owns the cache folder.
    public var pid: Int32
    /// The addresses that the server listens on, such as `http://127.0.0.1:9479`, the preferred one first.
    public var addresses: [String]
    /// The cache folder; null if the server doesn't report it.
    public var cacheFolder: String?

    /// Creates server information.
    public init(version: String, pid: Int32, addresses: [String], cacheFolder: String?) {
        self.version = version
        self.pid = pid
        self.addresses = addresses
        self.cacheFolder = cacheFolder
    }
}

/// The response to `GET /api/v1/urls?url=…`.
public struct PlayLink: Codable, Sendable, Hashable {
    /// The URL for a player.
    public var playURL: String

    /// Creates a link.
    public init(playURL: String) { self.playURL = playURL }
}

/// The body of `PUT /api/v1/header-profiles`: header fields for requests to one origin, until the server stops.
public struct HeaderProfileUpdate: Codable, Sendable, Hashable {
    /// The origin, such as `https://example.com`. A path is ignored.
    public var origin: String
    /// The header fields, by name. An empty object removes the profile.
    public var headers: [String: String]
    /// The identity of the user whom the fields authenticate, which becomes part of the cache key. Null if the fields
    /// don't distinguish users.
    public var identity: String?

    /// Creates an update.
    public init(origin: String, headers: [String: String], identity: String? = nil) {
        self.origin = origin
        self.headers = headers
        self.identity = identity
    }
}

extension APIClient {
    /// Returns the server's version, process and addresses.
    public func server() async throws -> ServerInfo { try await call(.get, "/api/v1/server") }

    /// Returns the URL that plays `url` through the cache. It contains the standing playback token.
    public func playURL(for url: ResourceURL) async throws -> String {
        try await (call(.get, "/api/v1/urls?url=\(Self.escape(Self.text(of: url)))") as PlayLink).playURL
    }

    /// Sets or removes the header fields that are added to requests to one origin.
    public func setHeaderProfile(_ profile: HeaderProfileUpdate) async throws {
        try await send(.put, "/api/v1/header-profiles", content: try .json(profile))
    }
}
