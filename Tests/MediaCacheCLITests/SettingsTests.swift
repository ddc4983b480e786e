import ArgumentParser
import Foundation
import HTTPTypes
import Logging
import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct SettingsTests {
    private func file(_ text: String) throws -> ConfigurationFile {
        try ConfigurationFile(path: "/etc/c.json", Data(text.utf8))
    }

    private func options(_ arguments: [String]) throws -> [Setting: String] {
        try ServeOptions.parse(arguments).values
    }

    @Test func settingNamesHaveThreeSpellings() {
        #expect(Setting.allowedHost.option == "--allowed-host")
        #expect(Setting.allowedHost.variable == "MEDIACACHE_ALLOWED_HOST")
        #expect(Setting.caFile.option == "--ca-file" && Setting.caFile.variable == "MEDIACACHE_CA_FILE")
        #expect(Setting.cache.variable == "MEDIACACHE_DIR")
    }

    @Test func everySettingIsOptionOfServe() throws {
        let help = ServeOptions.helpMessage(columns: 200)
        for setting in Setting.allCases { #expect(help.contains(setting.option), "\(setting)") }
    }

    @Test func commandLineOverridesEnvironmentAndFile() throws {
        let settings = Settings(
            options: try options(["--port", "1"]),
            environment: ["MEDIACACHE_PORT": "2", "MEDIACACHE_SEGMENTS_AHEAD": "3", "MEDIACACHE_HOST": ""],
            file: try file(#"{"port": 4, "segmentsAhead": 5, "host": "::1"}"#), usesDefaults: true)
        #expect(settings[.port] == .init(text: "1", source: .option))
        #expect(settings[.segmentsAhead] == .init(text: "3", source: .environment))
        #expect(settings[.host] == .init(text: "::1", source: .file))
        #expect(settings[.maxAge] == .init(text: "30d", source: .defaultValue))
        #expect(settings[.proxy] == nil)
    }

    @Test func readsEverySettingFromEachSource() throws {
        let texts: [Setting: String] = [
            .cache: "/c", .dropQuery: "token\nsig", .logLevel: "debug", .host: "::1", .port: "80", .lan: "true",
            .metered: "true",
            .allowedHost: "a.example\nb.example", .allowNet: "192.168.1.0/24", .publicPath: "/tv", .publicRead: "true",
            .segmentsAhead: "7", .fastStart: "true", .maxSize: "512MiB", .maxAge: "12h", .minFree: "2GB",
            .maxObjectSize: "3MB", .maxDuration: "4h", .jobs: "5", .transfers: "4", .limitRate: "600kB/s",
            .hours: "23:00-07:00", .onlyUnmetered: "true", .onlyCharging: "true", .sparePower: "true",
            .downloadReserve: "5GB", .limitTotalRate: "9MB/s", .limitClassRate: "recording=2MB/s\npreload=500kB/s",
            .connectTimeout: "3s",
            .responseTimeout: "4s", .stallTimeout: "5s",
            .retries: "6", .readAhead: "1MiB",
            .header: "https://h X-A: b, c\nhttp://i:81 X-D: e", .proxy: "http://p:3128", .cookies: "/cookies.txt",
            .netrc: "/netrc",
            .caFile: "/ca.pem", .compareAlternatingTags: "true",
        ]
        #expect(texts.count == Setting.allCases.count)
        var arguments: [String] = []
        for (setting, text) in texts {
            for item in setting.form == .list ? setting.items(of: text) : [text] {
                arguments += setting.form == .flag ? [setting.option] : [setting.option, item]
            }
        }
        let object = texts.map { setting, text in
            let items = setting.items(of: text).map { "\"\($0)\"" }.joined(separator: ",")
            return switch setting.form {
            case .list: "\"\(setting.rawValue)\": [\(items)]"
            case .flag, .number: "\"\(setting.rawValue)\": \(text)"
            case .text: "\"\(setting.rawValue)\": \"\(text)\""
            }
        }
        let given = Settings(options: try options(arguments), environment: [:], file: nil)
        let variables = Dictionary(uniqueKeysWithValues: texts.map { ($0.variable, $1) })
        let environment = Settings(options: [:], environment: variables, file: nil)
        let file = Settings(
            options: [:], environment: [:], file: try file("{\(object.joined(separator: ","))}"))
        for setting in Setting.allCases {
            #expect(given[setting]?.text == texts[setting], "\(setting)")
            #expect(environment[setting]?.text == texts[setting], "\(setting)")
            #expect(file[setting]?.text == texts[setting], "\(setting)")
        }
    }

    @Test func createsHostSettings() throws {
        let host = try ServeConfiguration(
            environment: ["MEDIACACHE_ALLOWED_HOST": "a.example, b.example", "HOME": "/home/a"],
            file: file(
                """
                {"cache": "/c", "port": 81, "maxSize": "none", "maxAge": "1h", "minFree": 0, "maxObjectSize": "1GB",
                 "jobs": 2, "limitRate": "2MB", "fastStart": true, "dropQuery": ["token"], "logLevel": "debug",
                 "header": ["https://h X-A: b, c"], "channels": [{"name": "a", "url": "http://h/"}]}
                """)
        ).hostSettings()
        #expect(host.location == CacheLocation(folder: "/c") && host.port == 81)
        #expect(host.limits == CacheLimits(maximumBytes: nil, maximumAge: .seconds(3600), minimumFreeBytes: 0))
        #expect(host.downloads?.bandwidth == 2_000_000 && host.downloads?.limits?.assets == 2)
        #expect(host.fastStart && !host.publicRead && host.resumesDownloads)
        #expect(host.allowedHosts == ["a.example", "b.example"])
        #expect(host.keyPolicy.key(for: try ResourceURL("http://h/a?token=b&c=d")) == "http://h/a?c=d")
        #expect(host.logger.logLevel == .debug)
        let profile = try #require(host.headerProfiles[try ResourceURL("https://h/")])
        #expect(profile.fields.map(\.value) == ["b, c"])
        #expect(host.channels.map(\.name.rawValue) == ["a"])
    }

    @Test func defaultsMatchHostSettings() throws {
        let environment = ["HOME": "/home/a"]
        let standard = try HostSettings(
            Settings(options: [:], environment: environment, file: nil, usesDefaults: true), environment: environment)
        var bare = try HostSettings(
            Settings(options: [:], environment: environment, file: nil), environment: environment)
        #expect(bare.host == standard.host && bare.segmentsAhead == standard.segmentsAhead)
        #expect(bare.limits.minimumFreeBytes == standard.limits.minimumFreeBytes)
        #expect(bare.logLevel.value == standard.logLevel.value)
        #expect(bare.alternatingEntityTags == standard.alternatingEntityTags)
        bare.port = 9479
        #expect(bare.port == standard.port)
    }

    @Test(arguments: [
        (#"{"port": 65536}"#, "/etc/c.json: port: “65536” is not an integer from 0 to 65535"),
        (#"{"port": true}"#, "/etc/c.json: port must be a number"),
        (#"{"fastStart": 1}"#, "/etc/c.json: fastStart must be true or false"),
        (#"{"allowedHost": [1]}"#, "/etc/c.json: allowedHost must be an array of strings"),
        (#"{"maxSize": []}"#, "/etc/c.json: maxSize must be a string"),
        (#"{"maxSize": "1XB"}"#, "/etc/c.json: maxSize: “XB”"),
        (#"{"maxage": "1h"}"#, "“maxage” is not a setting; did you mean “maxAge”?"),
        (#"{"jobs": 0}"#, "/etc/c.json: jobs: “0” is not an integer from 1 to 1000"),
        (#"{"transfers": 5000}"#, "/etc/c.json: transfers: “5000” is not an integer from 1 to 1000"),
        (#"{"header": ["X-A: b"]}"#, "/etc/c.json: header 'X-A: …' needs an origin"),
        (#"{"logLevel": "loud"}"#, "/etc/c.json: logLevel: “loud” is not a log level"),
        (#"{"port": }"#, "/etc/c.json: the file isn't JSON"),
    ])
    func errorIdentifiesInvalidSettingInFile(text: String, message: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try ServeConfiguration(environment: ["HOME": "/h"], file: file(text)).hostSettings()
        }
        #expect(failure?.exitCode == 64)
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
    }

    @Test func errorIdentifiesInvalidSettingInEnvironment() {
        let failure = #expect(throws: CommandFailure.self) {
            try ServeConfiguration(environment: ["HOME": "/h", "MEDIACACHE_MAX_AGE": "3"]).hostSettings()
        }
        #expect(failure?.message.hasPrefix("$MEDIACACHE_MAX_AGE: “3” has no unit") == true)
    }

    @Test func emptyFileHasNoSettings() throws {
        #expect(try file(" \n").values.isEmpty)
        #expect(try ConfigurationFile(path: "/dev/null").channels.isEmpty)
    }

    @Test func usesFirstConfigurationFileOnly() {
        let environment = ["HOME": "/h", "XDG_CONFIG_HOME": "/x"]
        let user = "/x/mediacache/config.json"
        #expect(ConfigurationPath.path(option: "a", environment: ["MEDIACACHE_CONFIG": "b"]) { _ in false } == "a")
        #expect(ConfigurationPath.path(option: nil, environment: ["MEDIACACHE_CONFIG": "b"]) { _ in false } == "b")
        #expect(ConfigurationPath.path(option: nil, environment: environment) { _ in true } == user)
        #expect(
            ConfigurationPath.path(option: nil, environment: environment) { $0 != user } == ConfigurationPath.system)
        #expect(ConfigurationPath.path(option: nil, environment: environment) { _ in false } == nil)
        #expect(
            ConfigurationPath.defaults(["HOME": "/h", "XDG_CONFIG_HOME": "x"])[0] == "/h/.config/mediacache/config.json"
        )
    }

    @Test func errorContainsPathOfMissingFile() throws {
        let options = try ServeOptions.parse([])
        let failure = #expect(throws: CommandFailure.self) {
            try options.configuration(environment: ["MEDIACACHE_CONFIG": "/nowhere/c.json"])
        }
        #expect(failure?.message.contains("/nowhere/c.json") == true)
    }

    @Test func reportListsSourcesAndHidesSecrets() throws {
        let report = try ConfigurationReport(
            ServeConfiguration(
                options: try options(["--port", "1", "--header", "https://h X-A: word"]),
                environment: ["HOME": "/h", "MEDIACACHE_PROXY": "http://me:word@p:1", "MEDIACACHE_PROT": "2"],
                file: file(#"{"maxSize": "1GB", "channels": [{"name": "a", "url": "http://me:word@h/"}]}"#)))
        #expect(report.settings["port"]?.value == .number(1) && report.settings["port"]?.place == "--port")
        #expect(report.settings["proxy"]?.place == "$MEDIACACHE_PROXY")
        #expect(
            report.settings["maxSize"]?.place == "/etc/c.json" && report.settings["maxAge"]?.source == .defaultValue)
        #expect(report.settings["cache"]?.value == .text("/h/.local/share/mediacache and /h/.cache/mediacache"))
        #expect(report.channels.map(\.url) == ["http://h/"])
        #expect(report.notes == ["MEDIACACHE_PROT in the environment is not a setting; did you mean MEDIACACHE_PORT?"])
        let texts = [report.text, try JSONOutput.text(report)]
        for text in texts { #expect(!text.contains("word")) }
        #expect(texts[0].contains("https://h X-A: (hidden)"))
    }

    @Test func reportListsStoredSettings() throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(atPath: folder.file("settings"), withIntermediateDirectories: true)
        try Data(#"{"limits": {"maximumBytes": 20000000000}, "transfers": {"retries": 9}}"#.utf8)
            .write(to: URL(fileURLWithPath: folder.file("settings/cache.json")))
        let report = try ConfigurationReport(
            ServeConfiguration(environment: ["MEDIACACHE_DIR": folder.path, "MEDIACACHE_RETRIES": "2"]))
        #expect(report.settings["maxSize"]?.value == .text("20GB") && report.settings["maxSize"]?.source == .stored)
        #expect(report.settings["retries"]?.value == .number(2) && report.settings["retries"]?.source == .environment)
        #expect(report.settings["maxAge"]?.source == .defaultValue)
    }

    @Test(arguments: [
        ("prot", "port"), ("allowedHosts", "allowedHost"), ("Max_Size", "maxSize"), ("somethingElse", nil),
    ])
    func findsNearestName(name: String, nearest: String?) {
        #expect(NearestName.nearest(to: name, among: Setting.allCases.map(\.rawValue)) == nearest)
    }

    @Test(arguments: ["any", "23:00-07:00", "00:00-24:00", "01:30-02:00"])
    func hoursRoundTrip(text: String) throws {
        #expect(try HoursArgument(parsing: text).text == text)
    }

    @Test(arguments: ["", "7", "23-23", "25:00-07:00", "1:60-2:00", "24:01-1:00", "-07:00", "a-b", "1-2-3"])
    func rejectsInvalidHours(text: String) {
        #expect(throws: ArgumentTextError.self) { try HoursArgument(parsing: text) }
    }

    /// An update of 0 removes a limit, but 0 bytes on the command line means that nothing is cached.
    @Test func updateDistinguishesNoLimitFromZero() throws {
        func limits(_ values: [Setting: String]) throws -> CacheSettingsUpdate.Limits? {
            try CacheSettingsUpdate(Settings(options: values, environment: [:], file: nil))?.limits
        }
        let none = CacheSettingsUpdate.Limits(maximumBytes: 0, maximumAge: 0)
        #expect(try limits([.maxSize: "none", .maxAge: "none"]) == none)
        let zero = CacheSettingsUpdate.Limits(maximumBytes: 1, maximumAge: 0.001)
        #expect(try limits([.maxSize: "0", .maxAge: "0s"]) == zero)
        #expect(try limits([.jobs: "3"]) == nil)
    }

    /// `serve` applies its defaults only where no setting is stored.
    @Test func defaultsAreNotGivenSettings() throws {
        let host = try ServeConfiguration(
            environment: ["HOME": "/home/a"], file: file(#"{"maxSize": "1GB", "hours": "1:00-2:00"}"#)
        ).hostSettings()
        #expect(host.cacheSettings == CacheSettingsUpdate(limits: .init(maximumBytes: 1_000_000_000)))
        #expect(host.downloads?.policy?.hours == DownloadPolicy.Hours(start: 60, end: 120))
        #expect(host.limits.maximumAge == .seconds(30 * 86_400))
    }

    @Test(arguments: ["0", "1", "999", "1kB", "1KiB", "512MiB", "10GB", "1500MB", "1TB", "1TiB"])
    func sizesRoundTrip(text: String) throws {
        let amount = try ByteCount(parsing: text)
        #expect(amount.exactText == text)
    }

    @Test(arguments: ["0ms", "1ms", "1500ms", "90s", "90m", "36h", "30d"])
    func durationsRoundTrip(text: String) throws {
        #expect(DurationText.exact(try DurationText.parse(text)) == text)
    }
}
