/// The body of `PUT /api/v1/header-profiles`: header fields that go to one origin from now on, until the server ends.
public struct HeaderProfileUpdate: Codable, Sendable, Hashable {
    /// The origin, as `https://example.com`. A path is ignored.
    public var origin: String
    /// The fields by name. An empty object removes the profile.
    public var headers: [String: String]
    /// Set if the fields tell one user from another; then it becomes part of the cache key.
    public var identity: String?

    /// Creates an update.
    public init(origin: String, headers: [String: String], identity: String? = nil) {
        self.origin = origin
        self.headers = headers
        self.identity = identity
    }
}
