import MediaLibrary

/// The difference between two configurations of a running server.
struct ConfigurationChange: Sendable {
    /// The new and changed channels, and those that the last reload rejected.
    var channels: [ChannelRequest] = []
    /// The channels that are no longer declared.
    var undeclared: [String] = []
    /// The changed settings that apply at once.
    var applied: [Setting] = []
    /// The changed settings that need a restart.
    var deferred: [String] = []
    /// The channels with a changed selection of tracks, which can't be applied to a recording.
    var unchangeable: [String] = []

    /// - Parameters:
    ///   - old: The configuration of the last reload, or of the start.
    ///   - start: The configuration that the server was started with. Deferred settings still have its values.
    ///   - rejected: The channels that the last reload rejected. They are tried again.
    init(
        from old: ServeConfiguration, startedWith start: ServeConfiguration, rejected: Set<ChannelName> = [],
        to new: ServeConfiguration
    ) throws {
        for setting in Setting.allCases {
            let before = setting.isReloadable ? old : start
            guard before.settings[setting]?.text != new.settings[setting]?.text else { continue }
            if setting.isReloadable { applied.append(setting) } else { deferred.append(setting.rawValue) }
        }
        let before = Dictionary(uniqueKeysWithValues: try old.channels.channels().map { ($0.name, $0) })
        let after = try new.channels.channels()
        for channel in after {
            guard !rejected.contains(channel.name), let previous = before[channel.name] else {
                channels.append(channel)
                continue
            }
            if previous.selection != channel.selection { unchangeable.append(channel.name.rawValue) }
            // The server rejects a changed URL with an error.
            let isChanged =
                previous.url != channel.url || previous.retention != channel.retention
                || previous.headers != channel.headers || previous.endsWithStream != channel.endsWithStream
                || (channel.starts && !previous.starts)
            if isChanged { channels.append(channel) }
        }
        let names = Set(after.map(\.name))
        undeclared = before.keys.filter { !names.contains($0) }.map(\.rawValue).sorted()
    }

    var isEmpty: Bool {
        channels.isEmpty && undeclared.isEmpty && applied.isEmpty && deferred.isEmpty && unchangeable.isEmpty
    }
}
