import MediaLibrary

/// All that a server goes by: its settings, and the channels that it records.
struct ServeConfiguration: Sendable {
    /// The settings.
    let settings: Settings
    /// The channels.
    let channels: ChannelConfiguration
    /// Environment variables.
    let environment: [String: String]

    /// A configuration of what was given, and what was read.
    init(
        options: [Setting: String] = [:], declared: [ChannelDeclaration] = [], environment: [String: String] = [:],
        file: ConfigurationFile? = nil
    ) {
        settings = Settings(options: options, environment: environment, file: file, usesStandards: true)
        channels = ChannelConfiguration(file: file, declared: declared, environment: environment)
        self.environment = environment
    }

    /// What a process that serves goes by.
    ///
    /// - Throws: ``CommandFailure``, naming who says what is wrong.
    func hostSettings() throws -> HostSettings {
        var host = try HostSettings(settings, environment: environment)
        host.goesOnWithDownloads = true
        host.channels = try channels.channels()
        return host
    }

    /// The names in the environment that look like settings, and are none.
    var unknownVariables: [String] {
        let known = Set(Setting.allCases.map(\.variable) + [ConfigurationPath.variable, "MEDIACACHE_CHANNELS"])
        return environment.keys.filter {
            $0.hasPrefix("MEDIACACHE_") && !known.contains($0) && !$0.hasPrefix("MEDIACACHE_CHANNELS_")
        }.sorted()
    }
}
