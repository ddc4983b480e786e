import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI

/// `mediacache settings`.
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Shows and changes limits, bandwidth, and the conditions of downloads.",
        usage: "mediacache settings [<options>]",
        discussion: """
            EXAMPLES:
              mediacache settings                              show all of these settings
              mediacache settings --max-size 20GB --max-age none
              mediacache settings --jobs 4 --hours 23:00-07:00
              mediacache settings --limit-rate 2MB/s --limit-class-rate recording=none
              mediacache settings --only-unmetered --no-only-charging
              mediacache settings --json | jq .cache.limits

            Settings without an option stay unchanged; without any options, the command only shows the settings. \
            Changes apply at once, without a restart of the server, and content beyond lower limits is removed. They \
            are stored in the cache folder and survive a restart. If the configuration file contains the setting, its \
            value there is replaced too. Options and variables of the server take precedence when it starts. `config \
            show` lists all other settings.

            OUTPUT:
            --json prints an object: cache (limits, transfers, bandwidth) and downloads (limits, policy, bandwidth), as \
            the API's /settings/cache and /settings/downloads. Sizes are bytes, durations seconds, and rates bytes per \
            second; absent limits are omitted. hours are minutes after midnight.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var limits: LimitOptions
    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var transfers: TransferOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    var changes: [Setting: String] {
        [limits.values, downloads.values, policy.values, transfers.values].reduce(into: [:]) { $0.merge($1) { $1 } }
    }

    func run() async throws {
        let changes = changes
        let given = Settings(options: changes, environment: [:], file: nil)
        let update = (cache: try CacheSettingsUpdate(given), downloads: try DownloadSettingsUpdate(given))
        let location = try cache.location
        var report: SettingsReport?
        if let connection = try await Connection.running(at: location) {
            report = try await Self.change(update.cache, update.downloads, connection.client)
        } else if !changes.isEmpty {
            _ = try await Connection.use(try HostSettings(cache: cache)) {
                try await Self.change(update.cache, update.downloads, $0.client)
            }
        }
        let failure = try noteSources(of: changes)
        let shown = try report ?? SettingsReport(stored: cache)
        try StandardStreams.print(json ? JSONOutput.text(shown) : shown.text)
        if let failure { throw failure }
    }

    /// Changes settings, and returns all of them.
    private static func change(
        _ cache: CacheSettingsUpdate?, _ downloads: DownloadSettingsUpdate?, _ client: APIClient
    ) async throws -> SettingsReport {
        // Cache settings are changed first: the server may reject values that the options accept. A rejection then
        // changes no settings.
        let cache =
            if let cache { try await client.updateCacheSettings(cache) } else { try await client.cacheSettings() }
        let downloads =
            if let downloads {
                try await client.updateDownloadSettings(downloads)
            } else {
                try await client.downloadSettings()
            }
        return SettingsReport(cache: cache, downloads: downloads)
    }

    /// Replaces changed settings in the configuration file, and prints a note on those in the environment.
    ///
    /// - Returns: The failure if the file can't be written.
    private func noteSources(of changes: [Setting: String]) throws -> CommandFailure? {
        guard !changes.isEmpty else { return nil }
        let environment = ProcessInfo.processInfo.environment
        for setting in Setting.allCases where changes[setting] != nil {
            guard let value = environment[setting.variable], !value.isEmpty else { continue }
            StandardStreams.printError(
                "mediacache: note: $\(setting.variable) takes precedence when a server starts with it")
        }
        guard let file = try cache.settings().file else { return nil }
        do {
            let replaced = try file.replace(changes).map(\.rawValue)
            if !replaced.isEmpty {
                StandardStreams.printError(
                    "mediacache: note: replaced \(replaced.joined(separator: ", ")) in \(Table.printable(file.path))")
            }
            return nil
        } catch let failure as CommandFailure {
            return failure
        }
    }
}
