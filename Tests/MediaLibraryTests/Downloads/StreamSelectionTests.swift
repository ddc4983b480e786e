import HLS
import MediaCache
import Testing

@testable import MediaLibrary

struct StreamSelectionTests {
    private static let entry = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de-CH",AUTOSELECT=YES,URI="de.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="Low",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="sub-en.m3u8"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Suomi",LANGUAGE="fi",URI="sub-fi.m3u8"
        #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
        #EXT-X-STREAM-INF:BANDWIDTH=5000,RESOLUTION=1920x1080,AUDIO="a",SUBTITLES="s",CLOSED-CAPTIONS="c"
        high.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=3000,RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
        mid.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,AUDIO="b"
        low.m3u8

        """

    private func contents(_ selection: StreamSelection) async throws -> AssetContents {
        func media(_ name: String) -> String { PlannedStream.media("#EXTINF:4,", "\(name)/1.ts") }
        let contents = try await PlannedStream([
            "a.m3u8": Self.entry, "high.m3u8": media("high"), "mid.m3u8": media("mid"), "low.m3u8": media("low"),
            "en.m3u8": media("en"), "de.m3u8": media("de"), "sub-en.m3u8": media("sub-en"),
            "sub-fi.m3u8": media("sub-fi"),
        ]).contents(selection)
        #expect(contents.unresolved == [])
        #expect(throws: Never.self) { try PlaylistParser().parse(Array(contents.playlists[0].text.utf8)) }
        return contents
    }

    /// Returns the folder of each segment of the selection.
    private func folders(_ selection: StreamSelection) async throws -> [String] {
        try await contents(selection).parts.map { String($0.url.split(separator: "/").dropLast().last ?? "") }.sorted()
    }

    @Test func selectsVariantStreams() async throws {
        let none = StreamSelection(audio: .none, subtitles: .none)
        for (variants, expected) in [
            (StreamSelection.Variants.best, ["high"]), (.worst, ["low"]), (.height(800), ["mid"]),
            (.height(100), ["low"]), (.bandwidth(4000), ["mid"]), (.all, ["high", "low", "mid"]),
        ] {
            var selection = none
            selection.variants = variants
            #expect(try await folders(selection) == expected, "\(variants)")
        }
    }

    @Test func selectsRenditionsByLanguage() async throws {
        #expect(try await folders(StreamSelection()) == ["en", "high", "sub-en", "sub-fi"])
        #expect(try await folders(StreamSelection(audio: .some(["de"]), subtitles: .none)) == ["de", "high"])
        #expect(try await folders(StreamSelection(audio: .some(["xx"]), subtitles: .none)) == ["en", "high"])
        #expect(
            try await folders(StreamSelection(audio: .all, subtitles: .some(["fi"]))) == ["de", "en", "high", "sub-fi"])
        #expect(try await folders(StreamSelection(subtitles: .some(["xx"]))) == ["en", "high"])
        #expect(try await folders(StreamSelection(audio: .none, subtitles: .none)) == ["high"])
    }

    /// A group must have a rendition, so variant streams must not refer to an empty group (RFC 8216bis §4.4.6.2).
    @Test func removesReferencesToEmptyGroups() async throws {
        let text = try #require(try await contents(StreamSelection(audio: .none, subtitles: .none)).text("index.m3u8"))
        #expect(!text.contains("AUDIO=") && !text.contains("SUBTITLES=") && !text.contains("TYPE=SUBTITLES"))
        #expect(text.contains("CLOSED-CAPTIONS=\"c\"") && text.contains("INSTREAM-ID"))
    }

    /// Audio without a playlist is in the variant stream's segments.
    @Test func keepsMuxedRenditions() async throws {
        let contents = try await contents(StreamSelection(variants: .worst))
        #expect(contents.playlists.map(\.name) == ["index.m3u8", "video-1/index.m3u8"])
        #expect(contents.text("index.m3u8")?.contains("NAME=\"Low\"") == true)
        #expect(contents.parts.count == 1)
    }

    @Test func usesSeparateFolderForEachRendition() async throws {
        let contents = try await contents(StreamSelection(variants: .all, audio: .all))
        #expect(
            contents.playlists.map(\.name) == [
                "index.m3u8", "video-1/index.m3u8", "video-2/index.m3u8", "video-3/index.m3u8", "audio-1/index.m3u8",
                "audio-2/index.m3u8", "text-1/index.m3u8", "text-2/index.m3u8",
            ])
        #expect(contents.estimatedLength == 4500)
    }
}
