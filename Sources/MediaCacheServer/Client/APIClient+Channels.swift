public import MediaCache
public import MediaLibrary
internal import NIOCore
internal import NIOHTTP1

/// Channels, by the API of who owns the folder.
extension APIClient {
    private static let channelsPath = "/api/v1/channels"

    /// All channels, by name.
    public func channels() async throws -> [ChannelRecord] {
        try await all(ChannelList.self, Self.channelsPath)
    }

    /// One channel.
    public func channel(_ name: ChannelName) async throws -> ChannelRecord {
        try await call(.GET, "\(Self.channelsPath)/\(name)")
    }

    /// Returns the URL of a channel's window at the server's own address, without a token. The server answers 404 if the
    /// window begins where nothing is recorded.
    ///
    /// - Parameters:
    ///   - name: the channel.
    ///   - from: when it begins, in milliseconds since 1970.
    ///   - to: when it ends, likewise.
    public func liveURL(of name: ChannelName, from: Int64, to: Int64) -> String {
        "\(liveURL(of: name))index.m3u8?begintime=\(from)&endtime=\(to)&strict=1"
    }

    /// Where a channel's playlists and parts are read, likewise: their names stand behind this.
    public func liveURL(of name: ChannelName) -> String { "\(address)/live/\(name)/" }

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

    /// The segments of a channel, by track and time, with its gaps.
    ///
    /// - Parameters:
    ///   - name: the channel.
    ///   - from: where they begin, in milliseconds since 1970; nil is an hour before the end.
    ///   - to: where they end, likewise; nil is now.
    public func timeline(
        of name: ChannelName, from: Int64? = nil, to: Int64? = nil
    ) async throws -> [TimelineRecord.Segment] {
        let items = [from.map { "from=\($0)" }, to.map { "to=\($0)" }].compactMap { $0 }
        let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
        return try await all(TimelineRecord.self, "\(Self.channelsPath)/\(name)/timeline\(query)")
    }

    /// The gaps of a channel.
    public func gaps(of name: ChannelName) async throws -> [TimelineRecord.Segment] {
        try await all(TimelineRecord.self, "\(Self.channelsPath)/\(name)/gaps")
    }

    /// The programmes of a channel.
    public func programmes(of name: ChannelName) async throws -> [ProgrammeRecord] {
        let list: ProgrammeList = try await call(.GET, "\(Self.channelsPath)/\(name)/programmes")
        return list.programmes
    }

    /// Keeps a window of a channel.
    public func addProgramme(_ wanted: ProgrammeAddition, to name: ChannelName) async throws -> ProgrammeRecord {
        try await call(.POST, "\(Self.channelsPath)/\(name)/programmes", content: try .json(wanted))
    }

    /// Lets a window go.
    public func removeProgramme(_ id: String, from name: ChannelName) async throws {
        try await send(.DELETE, "\(Self.channelsPath)/\(name)/programmes/\(id)")
    }

    /// Exports a programme when it's over, or tries again what has failed or was cancelled.
    public func export(
        _ id: String, of name: ChannelName, as format: ProgrammeFormat
    ) async throws -> ProgrammeRecord {
        try await call(.POST, Self.path(ofExport: format, of: id, in: name))
    }

    /// Cancels an export that isn't made yet, or deletes what was made.
    public func removeExport(_ format: ProgrammeFormat, of id: String, in name: ChannelName) async throws {
        try await send(.DELETE, Self.path(ofExport: format, of: id, in: name))
    }

    private static func path(ofExport format: ProgrammeFormat, of id: String, in name: ChannelName) -> String {
        "\(channelsPath)/\(name)/programmes/\(escape(id))/exports/\(format.rawValue)"
    }
}
