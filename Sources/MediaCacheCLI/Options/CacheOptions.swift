import ArgumentParser
import Foundation
import Logging
import MediaCache

/// What every subcommand takes: which folder, what makes two URLs the same, how much is logged.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The cache folder.",
            discussion:
                "Else $MEDIACACHE_DIR, else the configuration file's, else the system's for caches and for data.",
            valueName: "dir"), completion: .directory)
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Else $MEDIACACHE_CONFIG, else ~/.config/mediacache/config.json, else that in /etc/mediacache.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var config: String?

    @Option(
        name: .customLong("drop-query"),
        help: ArgumentHelp(
            "A query item that isn't part of a resource's identity: a token, a signature. Can be repeated.",
            valueName: "name"))
    var dropQuery: [String] = []

    @Option(
        help: ArgumentHelp(
            "How much is logged to standard error: trace, debug, info, notice, warning, error or critical. "
                + "(default: warning)",
            valueName: "level"),
        completion: .list(Logger.Level.allCases.map(\.rawValue)),
        transform: CacheOptions.level)
    var logLevel: Logger.Level?

    /// What was given of the settings.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.cache] = cache
        if !dropQuery.isEmpty { values[.dropQuery] = dropQuery.joined(separator: "\n") }
        values[.logLevel] = logLevel?.rawValue
        return values
    }

    /// The settings that hold with what else was given.
    ///
    /// - Throws: ``CommandFailure`` if there is something wrong with the configuration file.
    func settings(
        _ others: [Setting: String] = [:], usesStandards: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Settings {
        Settings(
            options: values.merging(others) { $1 }, environment: environment,
            file: try ConfigurationPath.path(option: config, environment: environment)
                .map(ConfigurationFile.init(path:)),
            usesStandards: usesStandards)
    }

    /// The folder or folders meant.
    var location: CacheLocation {
        get throws { try CacheFolder.location(try settings(), environment: ProcessInfo.processInfo.environment) }
    }

    /// Reads a log level.
    ///
    /// - Throws: ``ArgumentTextError``.
    static func level(_ text: String) throws -> Logger.Level {
        if let level = Logger.Level(rawValue: text.lowercased()) { return level }
        throw ArgumentTextError(
            "“\(text)” is no level; use \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
