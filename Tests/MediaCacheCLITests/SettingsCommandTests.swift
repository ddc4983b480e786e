import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct SettingsCommandTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("config.json")
    }

    private func write(_ text: String) throws -> ConfigurationFile {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return try ConfigurationFile(path: path)
    }

    private var content: String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    @Test func replacesOnlyValuesOfFile() throws {
        let file = try write(
            """
            {
              "cache": "/srv/{media}",   "channels": [{"name": "maxSize", "url": "http://h/?\\"maxSize\\": 1"}],
              "maxSize":"500GB" ,
              "jobs": 2,
              "limitClassRate": ["preload=1MB/s", "recording=2MB/s"], "max\\u0041ge": "1d"
            }
            """)
        let replaced = try file.replace([
            .maxSize: "20GB", .jobs: "4", .limitClassRate: "recording=none", .maxAge: "none", .retries: "1",
        ])
        #expect(replaced == [.maxSize, .maxAge, .jobs, .limitClassRate])
        #expect(
            content == """
                {
                  "cache": "/srv/{media}",   "channels": [{"name": "maxSize", "url": "http://h/?\\"maxSize\\": 1"}],
                  "maxSize":"20GB" ,
                  "jobs": 4,
                  "limitClassRate": ["preload=1MB/s","recording=none"], "max\\u0041ge": "none"
                }
                """)
        #expect(try ConfigurationFile(path: path).values[.maxAge] == "none")
    }

    @Test func leavesFileWithoutSettingUnchanged() throws {
        let file = try write(#"{"port": 1}"#)
        #expect(try file.replace([.maxSize: "20GB"]).isEmpty)
        #expect(content == #"{"port": 1}"#)
    }

    @Test func reportsValuesInSyntaxOfOptions() throws {
        let configuration = CacheConfiguration(
            location: CacheLocation(folder: folder.path),
            limits: CacheLimits(maximumBytes: 20_000_000_000, maximumAge: nil, minimumFreeBytes: 1_000_000_000),
            bandwidth: BandwidthLimits(total: 5_000_000, classes: [.recording: 2_000_000, .preload: 600_000]))
        var downloads = DownloadSettings(limits: DownloadLimits(assets: 4, transfersPerAsset: 5), bandwidth: 1_000_000)
        downloads.policy.hours = .init(start: 1380, end: 420)
        downloads.policy.onlyUnmetered = true
        let report = SettingsReport(cache: CacheSettings(configuration), downloads: downloads)
        let values = report.values
        #expect(Set(values.keys) == Set(Setting.allCases.filter(\.isChangeable)))
        var arguments: [String] = []
        for (setting, text) in values {
            switch setting.form {
            case .flag where text == "false": arguments.append(setting.option.replacing("--", with: "--no-"))
            case .flag: arguments.append(setting.option)
            case .list: for item in setting.items(of: text) { arguments += [setting.option, item] }
            default: arguments += [setting.option, text]
            }
        }
        let command = try SettingsCommand.parse(arguments)
        #expect(command.changes == values)
        #expect(report.text.contains("23:00-07:00"))
        #expect(report.text.contains("recording=2MB/s"))
    }
}
