import HLS
import TestSupport
import Testing

/// The multivariant playlists in yt-dlp's tests, compared with the expected formats.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct YtDlpConformanceTests {
    @Test(arguments: ["bipbop_16x9", "img_bipbop_adv_example_fmp4"])
    func findsSameFormatsAsYtDlp(_ name: String) throws {
        let expected = try Corpora.json("yt-dlp/m3u8/\(name).expected.json")
        let base = try #require(expected["manifest_url"].string)
        let parsed = try PlaylistParser().parse(try Corpora.bytes("yt-dlp/m3u8/\(name).m3u8")).playlist
        let playlist = try #require(parsed.resolvingURIs(against: base).multivariant)
        let formats = expected["formats"].array
        #expect(!formats.isEmpty)
        for format in formats { #expect(contains(playlist, format), "\(format)") }
        let audio = playlist.renditions.filter { $0.type == .audio && $0.uri != nil }
        #expect(formats.count == playlist.variants.count + audio.count)
    }

    /// Returns whether the playlist has a variant stream or an audio rendition with the values of a format.
    private func contains(_ playlist: MultivariantPlaylist, _ format: JSONValue) -> Bool {
        guard let url = format["url"].string else { return false }
        if let rendition = playlist.renditions.first(where: { $0.uri == url }) {
            return rendition.type == .audio && JSONValue(rendition.language) == format["language"]
        }
        return playlist.variants.contains { variant in
            let rate = JSONValue(Double(variant.averageBandwidth ?? variant.bandwidth) / 1000)
            return variant.uri == url
                && (format["tbr"] == .null || rate.differences(from: format["tbr"]).isEmpty)
                && (format["height"] == .null || JSONValue(variant.resolution?.height) == format["height"])
                && (format["width"] == .null || JSONValue(variant.resolution?.width) == format["width"])
                && isCodec(format["vcodec"], of: variant) && isCodec(format["acodec"], of: variant)
        }
    }

    private func isCodec(_ codec: JSONValue, of variant: VariantStream) -> Bool {
        guard let codec = codec.string, codec != "none" else { return true }
        return variant.codecs.contains(codec)
    }
}
