/// The answer of `GET /api/v1/server`.
public struct ServerInfo: Codable, Sendable, Hashable {
    /// The software's version.
    public var version: String
    /// The process that owns the folder.
    public var pid: Int32
    /// Where it answers: `http://127.0.0.1:9479`, `http://[::1]:9479`.
    public var addresses: [String]
    /// The cache folder, or null if the owner doesn't say.
    public var cacheFolder: String?

    /// Creates server information.
    public init(version: String, pid: Int32, addresses: [String], cacheFolder: String?) {
        self.version = version
        self.pid = pid
        self.addresses = addresses
        self.cacheFolder = cacheFolder
    }
}
