/// The body of `POST /api/v1/gets`: keep the whole of a resource.
public struct GetRequest: Codable, Sendable, Hashable {
    /// The URL to keep.
    public var url: String
    /// Header fields to send to that URL's origin, by name.
    public var headers: [String: String]?

    /// Creates a request.
    public init(url: String, headers: [String: String]? = nil) {
        self.url = url
        self.headers = headers
    }
}
