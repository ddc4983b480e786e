/// What `GET /api/v1/channels` gives.
public struct ChannelList: Codable, Sendable, Hashable {
    /// All channels, by name.
    public var channels: [ChannelRecord]
}
