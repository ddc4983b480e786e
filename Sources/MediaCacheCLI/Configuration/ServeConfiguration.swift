import MediaLibrary

/// The configuration of a server: its settings and channels.
struct ServeConfiguration: Sendable {
    let settings: Settings
    let channels: ChannelConfiguration
    let environment: [String: String]

    init(
        options: [Setting: String] = [:], declared: [ChannelDeclaration] = [], environment: [String: String] = [:],
        file: ConfigurationFile? = nil
    ) {
        settings = Settings(options: options, environment: environment, file: file, usesDefaults: true)
        channels = ChannelConfiguration(file: file, declared: declared, environment: environment)
        self.environment = environment
    }

    func hostSettings() throws -> HostSettings {
        var host = try HostSettings(settings, environment: environment)
        if host.isOnNetwork, host.listensOnlyOnLoopback {
            throw CommandFailure(
                .usage,
                "\(settings.sourceDescription(of: .lan)): the server can't be reached from other devices at "
                    + "\(host.host); remove \(settings.sourceDescription(of: .host)), or set it to an address in "
                    + "your network")
        }
        host.resumesDownloads = true
        host.channels = try channels.channels()
        return host
    }

    var unknownVariables: [String] {
        let known = Set(Setting.allCases.map(\.variable) + [ConfigurationPath.variable, "MEDIACACHE_CHANNELS"])
        return environment.keys.filter {
            $0.hasPrefix("MEDIACACHE_") && !known.contains($0) && !$0.hasPrefix("MEDIACACHE_CHANNELS_")
        }.sorted()
    }
}
