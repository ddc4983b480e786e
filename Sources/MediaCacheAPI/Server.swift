public import Foundation
internal import HTTPTypes
public import MediaCache

/// The response to `GET /api/v1/server`.
public struct ServerInfo: Codable, Sendable, Hashable {
    /// The version of MediaCache.
    public var version: String
    /// The ID of the process that owns the cache folder.
    public var pid: Int32
    /// The addresses of the server, such as `http://127.0.0.1:9479`, the preferred one first. If it listens on all
    /// addresses, the list includes those at which other devices can reach this machine.
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

/// The response to `GET /api/v1/throughput`: the recent throughput from origins.
public struct ThroughputRecord: Codable, Sendable, Hashable {
    /// A measurement. Recent transfers have more weight.
    public struct Measurement: Codable, Sendable, Hashable {
        /// The origin's scheme, host and port, such as `https://example.org`; null for the total.
        public var origin: String?
        /// The throughput in bytes per second.
        public var bytesPerSecond: Double
        /// The time of the last measurement.
        public var measured: Date
        /// The total duration of measurements in seconds.
        public var seconds: Double

        /// Creates a measurement.
        public init(_ estimate: ThroughputEstimate, origin: String? = nil) {
            self.origin = origin
            bytesPerSecond = estimate.bytesPerSecond
            measured = estimate.measured
            seconds = estimate.duration / .seconds(1)
        }
    }

    /// The throughput from all origins together; null if too few bytes have been received.
    public var total: Measurement?
    /// The throughput from each origin, ordered by name.
    public var origins: [Measurement]

    /// Creates a record.
    public init(total: ThroughputEstimate?, origins: [String: ThroughputEstimate]) {
        self.total = total.map { Measurement($0) }
        self.origins = origins.sorted { $0.key < $1.key }.map { Measurement($0.value, origin: $0.key) }
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

    /// Returns the recent throughput from origins.
    public func throughput() async throws -> ThroughputRecord { try await call(.get, "/api/v1/throughput") }

    /// Returns the URL that plays `url` through the cache. It contains the standing playback token.
    public func playURL(for url: ResourceURL) async throws -> String {
        try await (call(.get, "/api/v1/urls?url=\(Self.escape(Self.text(of: url)))") as PlayLink).playURL
    }

    /// Sets or removes the header fields that are added to requests to one origin.
    public func setHeaderProfile(_ profile: HeaderProfileUpdate) async throws {
        try await send(.put, "/api/v1/header-profiles", content: try .json(profile))
    }
}
