import HLS
import Testing

struct VariantSelectionTests {
    private func playlist() -> MultivariantPlaylist {
        var playlist = MultivariantPlaylist()
        for (name, bandwidth, height, codec) in [
            ("low", 500_000, 360, "avc1.4d401e"), ("mid", 1_500_000, 720, "avc1.4d401f"),
            ("hevc", 2_500_000, 1080, "hvc1.2.4.L123"), ("high", 5_000_000, 1080, "avc1.640028"),
        ] {
            var variant = VariantStream(uri: name, bandwidth: bandwidth)
            variant.resolution = Resolution(width: height * 16 / 9, height: height)
            variant.codecs = [codec, "mp4a.40.2"]
            variant.audioGroup = name == "low" ? "mono" : "stereo"
            playlist.entries.append(.variant(variant))
        }
        for (group, name, language) in [
            ("mono", "English", "en"), ("stereo", "English", "en"), ("stereo", "Deutsch", "de-CH"),
        ] {
            var rendition = Rendition(type: .audio, groupID: group, name: name, uri: "\(group)-\(name)")
            rendition.language = language
            rendition.isDefault = language == "en"
            playlist.entries.append(.rendition(rendition))
        }
        return playlist
    }

    private func names(_ selections: VariantSelection...) -> [String] { playlist().variants(selections).map(\.uri) }

    @Test func selectsByBandwidth() {
        #expect(names(.highest) == ["high"])
        #expect(names(.lowest) == ["low"])
        #expect(names(.bandwidth(atMost: 2_000_000)) == ["mid"])
        #expect(names(.bandwidth(atMost: 1)) == ["low"])
        #expect(names(.all) == ["low", "mid", "hevc", "high"])
    }

    @Test func selectsByHeight() {
        #expect(names(.height(atMost: 1080)) == ["high"])
        #expect(names(.height(atMost: 800)) == ["mid"])
        #expect(names(.height(atMost: 100)) == ["low"])
    }

    @Test func selectsByCodecAndLanguage() {
        #expect(names(.codec("hvc1")) == ["hevc"])
        #expect(names(.codec("vp09")).isEmpty)
        #expect(names(.language("de")) == ["mid", "hevc", "high"])
        #expect(names(.codec("avc1"), .height(atMost: 1080), .highest) == ["high"])
        #expect(names(.codec("av01"), .highest).isEmpty)
    }

    @Test func findsRenditionsOfVariantStream() throws {
        let playlist = playlist()
        let low = try #require(playlist.variants(.lowest).first)
        let high = try #require(playlist.variants(.highest).first)
        #expect(playlist.renditions(of: low).map(\.uri) == ["mono-English"])
        #expect(playlist.rendition(.audio, of: high, language: "DE")?.uri == "stereo-Deutsch")
        #expect(playlist.rendition(.audio, of: high, language: "fr")?.uri == "stereo-English")
        #expect(playlist.rendition(.subtitles, of: high) == nil)
    }

    /// DEFAULT and AUTOSELECT are optional (RFC 8216bis §4.4.6.1). Without them, audio is selected, but no subtitles.
    @Test func selectsFirstAudioWithoutDefault() throws {
        var playlist = MultivariantPlaylist()
        var variant = VariantStream(uri: "video", bandwidth: 1_000_000)
        variant.audioGroup = "a"
        variant.subtitlesGroup = "s"
        for (type, group) in [(RenditionType.audio, "a"), (.subtitles, "s")] {
            for name in ["1", "2"] {
                let rendition = Rendition(type: type, groupID: group, name: name, uri: group + name)
                playlist.entries.append(.rendition(rendition))
            }
        }
        playlist.entries.append(.variant(variant))
        #expect(playlist.rendition(.audio, of: variant)?.uri == "a1")
        #expect(playlist.rendition(.subtitles, of: variant) == nil)
    }
}
