/// The body of `POST /api/v1/assets`.
public struct AssetRequest: Codable, Sendable, Hashable {
    /// The URL of a kept file or playlist.
    public var url: String

    /// Creates a request.
    public init(url: String) {
        self.url = url
    }
}
