import MediaLibrary

/// What differs between two configurations of a server, and what of that can be applied while it runs.
struct ConfigurationChange: Sendable {
    /// Channels that are new, or of which something else is wanted.
    var channels: [ChannelRequest] = []
    /// Channels that aren't declared any more.
    var undeclared: [String] = []
    /// Settings that differ and hold at once.
    var applied: [Setting] = []
    /// Settings that differ and hold from the next start on.
    var waiting: [String] = []
    /// Channels of which other tracks are wanted, which a recording can't take.
    var unchangeable: [String] = []

    /// The difference.
    ///
    /// - Parameters:
    ///   - old: what held last.
    ///   - start: what the server was started with, by which what waits for a start still goes.
    ///   - refused: channels that couldn't be taken last time: they are tried again.
    /// - Throws: ``CommandFailure`` if there is something wrong with one of them.
    init(
        from old: ServeConfiguration, startedWith start: ServeConfiguration, refused: Set<ChannelName> = [],
        to new: ServeConfiguration
    ) throws {
        for setting in Setting.allCases {
            let before = setting.isReloadable ? old : start
            guard before.settings[setting]?.text != new.settings[setting]?.text else { continue }
            if setting.isReloadable { applied.append(setting) } else { waiting.append(setting.rawValue) }
        }
        let before = Dictionary(uniqueKeysWithValues: try old.channels.channels().map { ($0.name, $0) })
        let after = try new.channels.channels()
        for channel in after {
            guard !refused.contains(channel.name), let known = before[channel.name] else {
                channels.append(channel)
                continue
            }
            if known.selection != channel.selection { unchangeable.append(channel.name.rawValue) }
            // Another URL is refused, in words.
            let isChanged =
                known.url != channel.url || known.retention != channel.retention || known.headers != channel.headers
                || known.endsWithStream != channel.endsWithStream || (channel.starts && !known.starts)
            if isChanged { channels.append(channel) }
        }
        let names = Set(after.map(\.name))
        undeclared = before.keys.filter { !names.contains($0) }.map(\.rawValue).sorted()
    }

    /// Whether nothing differs.
    var isEmpty: Bool {
        channels.isEmpty && undeclared.isEmpty && applied.isEmpty && waiting.isEmpty && unchangeable.isEmpty
    }
}
