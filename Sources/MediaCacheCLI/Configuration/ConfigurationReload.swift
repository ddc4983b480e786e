import Logging
import MediaCache
import MediaLibrary

/// The reloader of a running server's configuration.
actor ConfigurationReload {
    private let start: ServeConfiguration
    private var configuration: ServeConfiguration
    /// The channels that the last reload rejected.
    private var rejected: Set<ChannelName> = []
    private let settings: HostSettings
    private let server: LocalHost
    private let read: @Sendable () throws -> ServeConfiguration

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

    /// Reads and applies the configuration. An invalid configuration changes nothing and is logged.
    func run() async {
        let logger = settings.logger
        let (new, host, change): (ServeConfiguration, HostSettings, ConfigurationChange)
        do {
            new = try read()
            // Deferred settings must be valid too.
            host = try new.hostSettings()
            change = try ConfigurationChange(
                from: configuration, startedWith: start, rejected: rejected, to: new)
            if change.applied.contains(.logLevel) { settings.logLevel.value = host.logLevel.value }
        } catch {
            let reason = CommandFailure(error)?.message ?? "\(error)"
            logger.error("invalid configuration; nothing was changed", metadata: ["error": "\(reason)"])
            return
        }
        do {
            try await server.apply(host)
        } catch {
            logger.error("the new limits can't be enforced yet", metadata: ["error": "\(error)"])
        }
        let failures = await server.declare(change.channels)
        rejected = Set(failures.keys)
        for (name, error) in failures {
            logger.error("channel rejected", metadata: ["channel": "\(name)", "error": "\(error.message)"])
        }
        for name in change.unchangeable {
            logger.warning(
                "the tracks of a recording can't be changed; declare a channel with another name",
                metadata: ["channel": "\(name)"])
        }
        for name in change.undeclared {
            logger.warning(
                "the channel is no longer declared, but isn't removed; use `channels stop` or `channels remove`",
                metadata: ["channel": "\(name)"])
        }
        if !change.deferred.isEmpty {
            logger.warning(
                "changed settings need a restart",
                metadata: ["settings": "\(change.deferred.joined(separator: ", "))"])
        }
        logger.notice(
            "configuration reloaded",
            metadata: ["channels": "\(change.channels.count - failures.count)", "settings": "\(change.applied.count)"])
        configuration = new
    }
}
