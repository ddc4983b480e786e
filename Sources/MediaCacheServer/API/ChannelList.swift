/// The answer of `GET /api/v1/channels`.
public struct ChannelList: PagedList, Hashable {
    /// The channels, by name.
    public var channels: [ChannelRecord]
    /// What `?after=` takes to go on after this page; null where it's the last.
    public var next: String?

    /// Creates a list.
    public init(channels: [ChannelRecord], next: String? = nil) {
        self.channels = channels
        self.next = next
    }

    /// The same.
    public var items: [ChannelRecord] { channels }
}
