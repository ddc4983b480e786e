import ArgumentParser
import Foundation
import Logging
import MediaCache

/// The options that the subcommands share: the cache folder, the configuration file, the cache key, and the log level.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The cache folder.",
            discussion: "Default: $MEDIACACHE_DIR, the configured folder, or the system's cache and data folders.",
            valueName: "dir"), completion: .directory)
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Default: $MEDIACACHE_CONFIG, then config.json in ~/.config/mediacache or /etc/mediacache.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .customLong("drop-query"),
        help: ArgumentHelp(
            "A query item that the cache ignores, such as a token: URLs that differ only in it share cached data. "
                + "Repeatable.",
            valueName: "name"))
    var dropQuery: [String] = []

    @Option(
        help: ArgumentHelp(
            "The log level on standard error: trace, debug, info, notice, warning, error or critical. "
                + "(default: warning)",
            valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)),
        transform: CacheOptions.level)
    var logLevel: Logger.Level?

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.cache] = cache
        if !dropQuery.isEmpty { values[.dropQuery] = dropQuery.joined(separator: "\n") }
        values[.logLevel] = logLevel?.rawValue
        return values
    }

    /// Combines these and other options with the environment and the configuration file.
    func settings(
        _ others: [Setting: String] = [:], usesDefaults: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Settings {
        Settings(
            options: values.merging(others) { $1 }, environment: environment,
            file: try ConfigurationPath.path(option: config, environment: environment)
                .map(ConfigurationFile.init(path:)),
            usesDefaults: usesDefaults)
    }

    var location: CacheLocation {
        get throws { try CacheFolder.location(try settings(), environment: ProcessInfo.processInfo.environment) }
    }

    static func level(_ text: String) throws -> Logger.Level {
        if let level = Logger.Level(rawValue: text.lowercased()) { return level }
        throw ArgumentTextError(
            "“\(text)” is not a log level; use \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
