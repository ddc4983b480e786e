import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `mediacache settings`, with and without a server on the folder.
    struct SettingsCommandTests {
        private struct Settings: Decodable {
            struct Cache: Decodable {
                struct Limits: Decodable { var maximumBytes: Int64? }
                struct Bandwidth: Decodable { var recording: Int64? }

                var limits: Limits
                var bandwidth: Bandwidth
            }
            struct Downloads: Decodable {
                struct Limits: Decodable { var assets: Int }
                struct Policy: Decodable {
                    struct Hours: Decodable, Equatable { var start, end: Int }

                    var hours: Hours?
                    var onlyUnmetered: Bool
                }

                var limits: Limits
                var policy: Policy
            }

            var cache: Cache
            var downloads: Downloads
        }

        private func settings(_ arguments: [String]) async throws -> Settings {
            try await MediaCacheBinary.decoded(["settings", "--json"] + arguments)
        }

        private func expectChanged(_ settings: Settings) {
            #expect(settings.cache.limits.maximumBytes == 20_000_000_000)
            #expect(settings.cache.bandwidth.recording == 2_000_000)
            #expect(settings.downloads.limits.assets == 4 && settings.downloads.policy.onlyUnmetered)
            #expect(settings.downloads.policy.hours == .init(start: 1380, end: 420))
        }

        private static let changes = [
            "--max-size", "20GB", "--jobs", "4", "--hours", "23:00-07:00", "--only-unmetered", "--limit-class-rate",
            "recording=2MB/s",
        ]

        @Test(arguments: [false, true])
        func changesApplyAtOnceAndSurviveRestart(owned: Bool) async throws {
            let folder = try TemporaryFolder("cache")
            let options = ["--cache", folder.path, "--config", "/dev/null"]
            let command = ["serve", "--min-free", "0", "--config", "/dev/null"]
            var server = owned ? try await RunningServer(cache: folder.path, command: command) : nil
            #expect(try await settings(options).cache.limits.maximumBytes == 10_000_000_000)
            expectChanged(try await settings(Self.changes + options))
            expectChanged(try await settings(options))
            let text = try await MediaCacheBinary.output(["settings"] + options)
            #expect(text.contains("23:00-07:00") && text.contains("recording=2MB/s"))
            let usage = try await MediaCacheBinary.object(["usage", "--json"] + options)
            #expect(usage["maximumBytes"] as? Int64 == 20_000_000_000)
            try await server?.stop()
            server = try await RunningServer(cache: folder.path, command: command)
            expectChanged(try await settings(options))
            let removed = try await settings(["--max-size", "none", "--hours", "any", "--no-only-unmetered"] + options)
            #expect(removed.cache.limits.maximumBytes == nil && removed.downloads.policy.hours == nil)
            #expect(!removed.downloads.policy.onlyUnmetered && removed.downloads.limits.assets == 4)
            try await server?.stop()
        }

        /// The value in the configuration file would otherwise apply again after a restart.
        @Test func changesConfigurationFile() async throws {
            let folder = try TemporaryFolder("cache")
            let file = folder.file("config.json")
            try Data(#"{"maxSize": "5GB", "minFree": 0}"#.utf8).write(to: URL(fileURLWithPath: file))
            let options = ["--cache", folder.path, "--config", file]
            let command = ["serve", "--config", file]
            let server = try await RunningServer(cache: folder.path, command: command)
            let result = try await MediaCacheBinary.run(["settings", "--json"] + Self.changes + options)
            #expect(result.ending == .exit(0))
            #expect(result.errorText == "mediacache: note: replaced maxSize in \(file)\n")
            #expect(FileManager.default.contents(atPath: file) == Data(#"{"maxSize": "20GB", "minFree": 0}"#.utf8))
            try await server.stop()
            let restarted = try await RunningServer(cache: folder.path, command: command)
            expectChanged(try await settings(options))
            try await restarted.stop()
        }
    }
}
