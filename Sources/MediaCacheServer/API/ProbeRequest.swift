/// The body of `POST /api/v1/probe`: what is this URL?
public struct ProbeRequest: Codable, Sendable, Hashable {
    /// The URL of a file, or of a multivariant or media playlist.
    public var url: String
    /// Header fields for the URL's origin, by name.
    public var headers: [String: String]?

    /// Creates a request.
    public init(url: String, headers: [String: String]? = nil) {
        self.url = url
        self.headers = headers
    }
}
