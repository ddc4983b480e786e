import Foundation
import Logging
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct ConfigurationChangeTests {
    private func configuration(_ text: String) throws -> ServeConfiguration {
        ServeConfiguration(
            environment: ["HOME": "/h"], file: try ConfigurationFile(path: "c.json", Data(text.utf8)))
    }

    private func change(_ old: String, _ new: String) throws -> ConfigurationChange {
        try ConfigurationChange(from: configuration(old), startedWith: configuration(old), to: configuration(new))
    }

    @Test func equalConfigurationsHaveNoChange() throws {
        let text = #"{"port": 1, "channels": [{"name": "a", "url": "http://h/", "headers": {"A": "b"}}]}"#
        #expect(try change(text, text).isEmpty)
        // Stating a default explicitly isn't a change.
        #expect(try change("{}", #"{"port": 9479, "maxAge": "30d"}"#).isEmpty)
    }

    @Test func appliesLimitsAndDefersOtherSettings() throws {
        let change = try change(
            #"{"port": 1}"#,
            #"{"port": 2, "logLevel": "debug", "maxSize": "1GB", "stallTimeout": "9s", "fastStart": true}"#)
        #expect(change.applied == [.logLevel, .maxSize, .stallTimeout])
        #expect(change.deferred == ["port", "fastStart"])
    }

    @Test func appliesLimitsOfDownloadsAndClasses() throws {
        let change = try change(
            #"{"jobs": 2, "limitClassRate": ["preload=1MB/s"]}"#,
            #"{"jobs": 3, "transfers": 4, "limitRate": "2MB/s", "limitClassRate": ["recording=2MB/s"]}"#)
        #expect(change.applied == [.jobs, .transfers, .limitRate, .limitClassRate])
        #expect(change.deferred.isEmpty)
    }

    @Test func doesNotDeferSettingsThatMatchTheStart() throws {
        let change = try ConfigurationChange(
            from: configuration(#"{"port": 2, "logLevel": "debug"}"#), startedWith: configuration(#"{"port": 1}"#),
            to: configuration(#"{"port": 1}"#))
        #expect(change.deferred.isEmpty && change.applied == [.logLevel])
    }

    @Test func listsNewAndChangedChannels() throws {
        let change = try change(
            #"{"channels": [{"name": "a", "url": "http://a/"}, {"name": "b", "url": "http://b/", "keep": "1h"}, {"name": "c", "url": "http://c/"}]}"#,
            #"{"channels": [{"name": "a", "url": "http://a/"}, {"name": "b", "url": "http://b/", "keep": "2h"}, {"name": "d", "url": "http://d/"}]}"#
        )
        #expect(change.channels.map(\.name.rawValue) == ["b", "d"])
        #expect(change.channels[0].retention == Retention(seconds: 7200))
        #expect(change.undeclared == ["c"] && change.deferred.isEmpty)
    }

    @Test func submitsChangedURLButNotChangedTracks() throws {
        let change = try change(
            #"{"channels": [{"name": "a", "url": "http://a/"}, {"name": "b", "url": "http://b/"}]}"#,
            #"{"channels": [{"name": "a", "url": "http://x/"}, {"name": "b", "url": "http://b/", "variant": "all"}]}"#)
        // The server rejects a changed URL with an error, but would keep the previous tracks with only a warning.
        #expect(change.channels.map(\.name.rawValue) == ["a"])
        #expect(change.deferred.isEmpty && change.unchangeable == ["b"])
    }

    @Test func retriesRejectedChannels() throws {
        let text = #"{"channels": [{"name": "a", "url": "http://a/"}, {"name": "b", "url": "http://b/"}]}"#
        let name = try #require(ChannelName(rawValue: "b"))
        let change = try ConfigurationChange(
            from: configuration(text), startedWith: configuration(text), rejected: [name], to: configuration(text))
        #expect(change.channels.map(\.name) == [name])
    }

    @Test func changesLevelOfLoggersInUse() {
        let level = AdjustableLevel(.warning)
        var logger = level.logger(label: "a")
        let copy = logger
        level.value = .debug
        #expect(logger.logLevel == .debug && copy.logLevel == .debug)
        // The level of a single logger can't be changed.
        logger.logLevel = .trace
        #expect(logger.logLevel == .debug)
    }
}
