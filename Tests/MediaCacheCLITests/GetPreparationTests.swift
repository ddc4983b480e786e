import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct GetPreparationTests {
    /// Returns the result for a stream with German and English audio and German subtitles.
    private func result(
        audio: String = "standard", subtitles: String = "all", exports: Bool = false, obstacle: String? = nil
    ) throws -> GetPreparation.Result {
        let rendition: (String) -> [String: Any] = { ["language": $0, "name": $0, "isDefault": $0 == "de"] }
        let variant: [String: Any] = [
            "selection": "5000000", "bandwidth": 5_000_000, "width": 1920, "height": 1080,
        ]
        let names = try LanguagesArgument(parsing: audio)
        var object: [String: Any] = [
            "url": "http://h/show.m3u8", "kind": "stream", "isLive": false, "isEncrypted": false, "type": "x",
            "isLengthExact": false, "variants": [variant], "audio": ["de", "en"].map(rendition),
            "subtitles": [rendition("de")], "notes": [String](), "title": "show",
            "selected": [
                "variants": [variant],
                "audio": (names.required.contains("en") ? ["en"] : ["de"]).map(rendition),
                "subtitles": [rendition("de")],
            ],
        ]
        object["exportObstacle"] = obstacle
        let data = try JSONSerialization.data(withJSONObject: object)
        let preparation = GetPreparation(
            url: try ResourceURL("http://h/show.m3u8"), selection: StreamSelection(),
            requiredAudio: names.required, requiredSubtitles: try LanguagesArgument(parsing: subtitles).required,
            exports: exports)
        return preparation.result(of: try JSONDecoder().decode(ProbeRecord.self, from: data))
    }

    @Test func namesVariantAndLanguages() throws {
        #expect(try result().line == "show: 1920x1080, 5.0 Mbit/s; audio de; subtitles de")
        #expect(try result(audio: "en").line == "show: 1920x1080, 5.0 Mbit/s; audio en; subtitles de")
    }

    @Test func absentLanguageFails() throws {
        let failure = try #require(try result(audio: "fr").failure)
        #expect(failure.exitCode == 1)
        #expect(
            failure.message
                == "http://h/show.m3u8 has no audio in fr; available: de, en. Use --audio 'fr?' to accept another")
        #expect(try result(audio: "fr?").failure == nil)
        #expect(try result(subtitles: "fi").failure?.message.contains("no subtitles in fi; available: de") == true)
        #expect(try result(subtitles: "fi?,de").failure == nil)
    }

    @Test func exportOfProtectedStreamFails() throws {
        let obstacle = "encrypted with SAMPLE-AES with keys in the format “com.apple.streamingkeydelivery”"
        #expect(try result(obstacle: obstacle).failure == nil)
        let failure = try #require(try result(exports: true, obstacle: obstacle).failure)
        #expect(failure.message.hasPrefix("http://h/show.m3u8 can't be exported as a file: it's encrypted with"))
    }

    @Test(arguments: [
        ("de", ["de"], ["de"]), ("de, fr?", ["de", "fr"], ["de"]), ("fr?", ["fr"], []),
    ])
    func parsesOptionalLanguages(text: String, languages: [String], required: [String]) throws {
        let parsed = try LanguagesArgument(parsing: text)
        #expect(parsed.languages == .some(languages) && parsed.required == required)
    }

    @Test func allAndNoneRequireNothing() throws {
        for text in ["all", "none", "standard"] { #expect(try LanguagesArgument(parsing: text).required.isEmpty) }
        #expect(throws: ArgumentTextError.self) { try LanguagesArgument(parsing: "?") }
    }

    @Test(arguments: [(800_000, "800 kbit/s"), (4_960_000, "5.0 Mbit/s"), (12_340_000, "12.3 Mbit/s")])
    func formatsBitRates(bits: Int, text: String) {
        #expect(FormatReport.bitRate(bits) == text)
    }
}
