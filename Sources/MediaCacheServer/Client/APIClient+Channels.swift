public import MediaCache
public import MediaLibrary
internal import NIOCore
internal import NIOHTTP1

/// Channels, by the API of who owns the folder.
extension APIClient {
    private static let channelsPath = "/api/v1/channels"

    /// All channels, by name.
    public func channels() async throws -> [ChannelRecord] {
        let list: ChannelList = try await call(.GET, Self.channelsPath)
        return list.channels
    }

    /// One channel.
    public func channel(_ name: ChannelName) async throws -> ChannelRecord {
        try await call(.GET, "\(Self.channelsPath)/\(name)")
    }

    /// Where a window of a channel plays, at the owner's own address and without a key.
    ///
    /// - Parameters:
    ///   - name: the channel.
    ///   - from: when it begins, in milliseconds since 1970.
    ///   - to: when it ends, likewise.
    public func liveURL(of name: ChannelName, from: Int64, to: Int64) -> String {
        "\(address)/live/\(name)/index.m3u8?begintime=\(from)&endtime=\(to)"
    }

    /// Makes a channel, or takes one up again.
    ///
    /// - Parameters:
    ///   - url: its URL. User information in it is told to the owner.
    ///   - addition: all else; its URL doesn't count.
    public func addChannel(of url: ResourceURL, _ addition: ChannelAddition) async throws -> ChannelRecord {
        var addition = addition
        addition.url = Self.text(of: url)
        return try await call(.POST, Self.channelsPath, content: try .json(addition))
    }

    /// Changes what is wanted of a channel.
    @discardableResult
    public func updateChannel(_ name: ChannelName, _ update: ChannelUpdate) async throws -> ChannelRecord {
        try await call(.PATCH, "\(Self.channelsPath)/\(name)", content: try .json(update))
    }

    /// Deletes a channel and what is kept of it.
    public func removeChannel(_ name: ChannelName) async throws {
        try await send(.DELETE, "\(Self.channelsPath)/\(name)")
    }

    /// The gaps of a channel.
    public func gaps(of name: ChannelName) async throws -> [TimelineRecord.Segment] {
        let timeline: TimelineRecord = try await call(.GET, "\(Self.channelsPath)/\(name)/gaps")
        return timeline.segments
    }

    /// Keeps a window of a channel.
    public func addProgramme(_ wanted: ProgrammeAddition, to name: ChannelName) async throws -> ProgrammeRecord {
        try await call(.POST, "\(Self.channelsPath)/\(name)/programmes", content: try .json(wanted))
    }

    /// Lets a window go.
    public func removeProgramme(_ id: String, from name: ChannelName) async throws {
        try await send(.DELETE, "\(Self.channelsPath)/\(name)/programmes/\(id)")
    }
}
