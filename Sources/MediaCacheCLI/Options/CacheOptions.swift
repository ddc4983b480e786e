import ArgumentParser
import Foundation
import Logging
import MediaCache

/// What every subcommand takes: which folder, what makes two URLs the same, how much is logged.
struct CacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The cache folder.",
            discussion: "Else $MEDIACACHE_DIR, else the system's folders for caches and for data.",
            valueName: "dir"))
    var cache: String?

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
        transform: CacheOptions.level)
    var logLevel: Logger.Level = .warning

    /// The folder or folders meant.
    var location: CacheLocation {
        get throws { try CacheFolder.location(option: cache, environment: ProcessInfo.processInfo.environment) }
    }

    /// Which URLs are one resource.
    var keyPolicy: CacheKeyPolicy {
        dropQuery.isEmpty ? .wholeURL : .dropping(queryItems: Set(dropQuery))
    }

    /// A logger to standard error.
    var logger: Logger {
        var logger = Logger(label: "mediacache") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        return logger
    }

    private static func level(_ text: String) throws -> Logger.Level {
        if let level = Logger.Level(rawValue: text.lowercased()) { return level }
        throw ArgumentTextError(
            "“\(text)” is no level; use \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
    }
}
