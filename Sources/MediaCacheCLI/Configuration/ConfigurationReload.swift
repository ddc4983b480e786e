import Logging
import MediaCache
import MediaLibrary

/// Reads a running server's configuration again, and applies what can be applied.
actor ConfigurationReload {
    private let start: ServeConfiguration
    private var configuration: ServeConfiguration
    /// Channels that couldn't be taken.
    private var refused: Set<ChannelName> = []
    private let settings: HostSettings
    private let server: LocalHost
    private let read: @Sendable () throws -> ServeConfiguration

    /// - Parameters:
    ///   - configuration: what the server began with.
    ///   - read: reads what holds now.
    init(
        of configuration: ServeConfiguration, _ settings: HostSettings, _ server: LocalHost,
        reading read: @escaping @Sendable () throws -> ServeConfiguration
    ) {
        self.configuration = configuration
        start = configuration
        self.settings = settings
        self.server = server
        self.read = read
    }

    /// Reads and applies. Where something is wrong, all stays as it was, and the log says what.
    func run() async {
        let logger = settings.logger
        let (wanted, change): (ServeConfiguration, ConfigurationChange)
        do {
            wanted = try read()
            // All of it has to be right, also what isn't applied now.
            let host = try wanted.hostSettings()
            _ = try host.originSettings
            change = try ConfigurationChange(
                from: configuration, startedWith: start, refused: refused, to: wanted)
            if change.applied.contains(.logLevel) { settings.logLevel.value = host.logLevel.value }
        } catch {
            let reason = CommandFailure(error)?.message ?? "\(error)"
            logger.error("the configuration isn't right; all stays as it was", metadata: ["error": "\(reason)"])
            return
        }
        let failures = await server.declare(change.channels)
        refused = Set(failures.keys)
        for (name, error) in failures {
            logger.error("channel not taken", metadata: ["channel": "\(name)", "error": "\(error.message)"])
        }
        for name in change.unchangeable {
            logger.warning(
                "a recording keeps the tracks that it began with; take another name for others",
                metadata: ["channel": "\(name)"])
        }
        for name in change.undeclared {
            logger.warning(
                "a channel isn't declared any more, and stays; `channels stop` and `channels remove` end it",
                metadata: ["channel": "\(name)"])
        }
        if !change.waiting.isEmpty {
            logger.warning(
                "these wait for the next start", metadata: ["settings": "\(change.waiting.joined(separator: ", "))"])
        }
        logger.notice(
            "configuration read again",
            metadata: ["channels": "\(change.channels.count - failures.count)", "settings": "\(change.applied.count)"])
        configuration = wanted
    }
}
