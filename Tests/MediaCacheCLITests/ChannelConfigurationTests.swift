import Foundation
import MediaCache
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct ChannelConfigurationTests {
    private func file(_ text: String) throws -> ConfigurationFile {
        try ConfigurationFile(path: "channels.json", Data(text.utf8))
    }

    private func failure(_ text: String) -> CommandFailure? {
        #expect(throws: CommandFailure.self) { try ChannelConfiguration(file: file(text)).channels() }
    }

    @Test func parsesChannelsOfFile() throws {
        let channels = try ChannelConfiguration(
            file: file(
                """
                {"channels": [
                    {"name": "one", "url": "http://user:word@h/1.m3u8", "keep": "24h", "maxSize": "50GB",
                     "keepSegments": 10, "keepFree": "5GB", "variant": "all", "audio": "de,en", "subtitles": "none",
                     "headers": {"X-A": "b"}, "stopped": true, "endsWithStream": true},
                    {"name": "t.w-o", "url": "http://h/2.m3u8"}
                ]}
                """)
        ).channels()
        #expect(channels.map(\.name.rawValue) == ["one", "t.w-o"])
        #expect(channels[0].url.userInfo == "user:word" && channels[0].headers == ["X-A": "b"])
        #expect(
            channels[0].retention
                == Retention(seconds: 86_400, bytes: 50_000_000_000, segments: 10, freeBytes: 5_000_000_000))
        #expect(channels[0].selection.variants == .all && channels[0].selection.audio == .some(["de", "en"]))
        #expect(!channels[0].starts && channels[0].endsWithStream)
        #expect(channels[1].retention == Retention() && channels[1].starts && !channels[1].endsWithStream)
    }

    @Test func optionsOverrideEnvironmentAndFile() throws {
        let channels = try ChannelConfiguration(
            file: file(#"{"channels": [{"name": "a-b", "url": "http://file/", "keep": "1h", "maxSize": "1GB"}]}"#),
            declared: [ChannelDeclaration(parsing: "a-b=http://option/?x=y")],
            environment: [
                "MEDIACACHE_CHANNELS": "a-b, two", "MEDIACACHE_CHANNELS_A_B_URL": "http://environment/",
                "MEDIACACHE_CHANNELS_A_B_KEEP": "2h", "MEDIACACHE_CHANNELS_TWO_URL": "http://two/",
                "MEDIACACHE_CHANNELS_TWO_KEEP_SEGMENTS": "7",
            ]
        ).channels()
        #expect(channels.map(\.url.description) == ["http://option/?x=y", "http://two/"])
        #expect(channels[0].retention == Retention(seconds: 7200, bytes: 1_000_000_000))
        #expect(channels[1].retention == Retention(segments: 7))
    }

    @Test func emptyConfigurationHasNoChannels() throws {
        #expect(try ChannelConfiguration(file: nil).channels().isEmpty)
        #expect(try ChannelConfiguration(file: file("{}")).channels().isEmpty)
    }

    @Test(arguments: [
        ("[", "channels.json: the file isn't JSON"), ("[]", "channels.json: the file isn't an object"),
        (#"{"prot": 1}"#, "channels.json: “prot” is not a setting; did you mean “port”?"),
        (#"{"channels": {}}"#, "channels must be an array"),
        (#"{"channels": [1]}"#, "channels[0] must be an object"),
        (#"{"channels": [{"url": "http://h/"}]}"#, "channels[0] has no name"),
        (#"{"channels": [{"name": "a"}]}"#, "channels.json: channels[0] “a”: url is missing"),
        (#"{"channels": [{"name": "a", "url": "ftp://h/"}]}"#, "“ftp”"),
        (
            #"{"channels": [{"name": "a", "url": "http://h/", "kept": "1h"}]}"#,
            "“kept” is not a key; did you mean “keep”?"
        ),
        (#"{"channels": [{"name": "a", "url": "http://h/", "keep": "24"}]}"#, "channels[0] “a”: keep: “24” has"),
        (#"{"channels": [{"name": "a", "url": "http://h/", "keep": []}]}"#, "keep must be text"),
        (#"{"channels": [{"name": "a", "url": "http://h/", "maxSize": "0"}]}"#, "a limit must be more than 0"),
        (#"{"channels": [{"name": ".a", "url": "http://h/"}]}"#, "channels[0] “.a”: “.a” isn't a valid channel name"),
        (
            #"{"channels": [{"name": "a", "url": "http://h/"}, {"name": "a"}]}"#,
            "channels[1] “a”: the name is used twice"
        ),
        (#"{"channels": [{"name": "a", "url": "http://h/", "headers": {"a b": "c"}}]}"#, "is not a header field"),
    ])
    func errorIdentifiesInvalidEntry(text: String, message: String) {
        let failure = failure(text)
        #expect(failure?.exitCode == 64)
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
    }

    @Test func errorIdentifiesEnvironmentEntry() {
        let failure = #expect(throws: CommandFailure.self) {
            try ChannelConfiguration(file: nil, environment: ["MEDIACACHE_CHANNELS": "a"]).channels()
        }
        #expect(failure?.message == "$MEDIACACHE_CHANNELS “a”: url is missing; give the URL of the stream")
    }
}
