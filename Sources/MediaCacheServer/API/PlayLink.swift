/// The answer of `GET /api/v1/urls?url=…`.
public struct PlayLink: Codable, Sendable, Hashable {
    /// The URL to give to a player.
    public var playURL: String

    /// Creates a link.
    public init(playURL: String) {
        self.playURL = playURL
    }
}
