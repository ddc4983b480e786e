import HLS
import Testing

struct TagTests {
    @Test func preservesUnknownAttributesAndOrder() throws {
        let line = "#EXT-X-STREAM-INF:X-A=1,BANDWIDTH=5,X-B=\"c\"\nv\n"
        var playlist = try #require(try PlaylistParser().parse("#EXTM3U\n" + line).playlist.multivariant)
        #expect(PlaylistWriter().text(.multivariant(playlist)) == "#EXTM3U\n" + line)
        var variant = try #require(playlist.variants.first)
        variant.bandwidth = 7
        variant.attributes["X-A"] = nil
        variant.frameRate = DecimalValue("29.970")
        playlist.entries[0] = .variant(variant)
        #expect(
            PlaylistWriter().text(.multivariant(playlist))
                == "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=7,X-B=\"c\",FRAME-RATE=29.970\nv\n")
    }

    @Test func convertsDateRangesToInterstitials() throws {
        var range = DateRange(id: "ad", startDate: DateTime("2024-01-01T00:00:00Z"))
        #expect(range.interstitial == nil)
        var interstitial = Interstitial(attributes: AttributeList())
        interstitial.assetURI = "ad.m3u8"
        interstitial.resumeOffset = .zero
        interstitial.restrictions = ["SKIP", "JUMP"]
        range.interstitial = interstitial
        #expect(range.rangeClass == Interstitial.rangeClass)
        #expect(range.interstitial?.restrictions == ["SKIP", "JUMP"])
        #expect(range.clientAttributes.map(\.name.rawValue) == ["X-ASSET-URI", "X-RESUME-OFFSET", "X-RESTRICT"])
    }

    @Test(arguments: [
        ("CLASS=\"com.apple.hls.interstitial\",X-ASSET-URI=\"a\",X-RESUME-OFFSET=0", []),
        ("CLASS=\"com.apple.hls.interstitial\"", ["D.2-asset"]),
        ("CLASS=\"com.apple.hls.interstitial\",X-ASSET-LIST=\"l\",X-PLAYOUT-LIMIT=x", ["4.4.5.1-attribute"]),
        ("END-ON-NEXT=YES", ["4.4.5.1-end-on-next"]), ("CLASS=\"c\",END-ON-NEXT=YES", []),
        ("END-DATE=\"2023-01-01T00:00:00Z\"", ["4.4.5.1-end"]),
    ])
    func checksDateRanges(_ attributes: String, _ rules: [String]) throws {
        let tag = "#EXT-X-DATERANGE:ID=\"i\",START-DATE=\"2024-01-01T00:00:00Z\",\(attributes)"
        let parsed = try PlaylistParser().parse("#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(tag)\n#EXTINF:1,\na\n")
        #expect(parsed.diagnostics.map(\.rule.description) == rules)
    }

    @Test func computesEndOfDateRange() {
        var range = DateRange(id: "a", startDate: DateTime("1970-01-01T00:00:10Z"))
        #expect(range.endNanoseconds == nil)
        range.duration = DecimalValue("2.5")
        #expect(range.endNanoseconds == 12_500_000_000)
        range.endDate = DateTime("1970-01-01T00:00:20Z")
        #expect(range.endNanoseconds == 20_000_000_000)
    }

    @Test func parsesSCTE35() throws {
        let text =
            "#EXTM3U\n#EXT-X-DATERANGE:ID=\"s\",START-DATE=\"2024-01-01T00:00:00Z\",SCTE35-OUT=0xFC01\n#EXTINF:1,\na\n"
        let range = try #require(try PlaylistParser().parse(text).playlist.media?.dateRanges.first)
        #expect(range.scte35Out?.bytes == [0xFC, 0x01])
    }

    @Test(
        arguments: [
            (PlaylistTag.cueOut, "30", "30", nil), (.cueOut, "DURATION=12.5", "12.5", nil),
            (.cueOut, "INVALID", nil, nil), (.cueOutContinued, "2/30.0", "30.0", "2"),
            (.cueOutContinued, "ElapsedTime=8,Duration=30", "30", "8"), (.cueIn, nil, nil, nil),
        ] as [(PlaylistTag, String?, String?, String?)])
    func parsesCues(_ tag: PlaylistTag, _ value: String?, _ duration: String?, _ elapsed: String?) throws {
        let cue = try #require(AdvertisementCue(tag: tag, value: value))
        #expect(cue.duration?.description == duration)
        #expect(cue.elapsedTime?.description == elapsed)
    }

    @Test func rejectsCuesOfOtherTags() {
        #expect(AdvertisementCue(tag: .endList) == nil)
    }

    @Test func definesSectionOfEveryTag() {
        let tags = PlaylistTag.allCases.filter { !AdvertisementCue.tags.contains($0) }
        #expect(tags.allSatisfy { $0.section.hasPrefix("4.4.") })
        #expect(Set(tags.map(\.section)).count == tags.count)
        #expect(AdvertisementCue.tags.allSatisfy { $0.section == "4.1" })
    }

    @Test func findsEveryTagByName() {
        for tag in PlaylistTag.allCases { #expect(PlaylistTag(rawValue: tag.rawValue) == tag) }
        #expect(PlaylistTag(rawValue: "EXT-X-UNKNOWN") == nil)
        #expect(Set(PlaylistTag.allCases).count == PlaylistTag.allCases.count)
    }

    @Test func replacesKeysOfSameKeyFormat() throws {
        let key = { (uri: String, format: String) in "#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\"\(format)\n" }
        let text =
            "#EXTM3U\n" + key("a", "") + key("b", ",KEYFORMAT=\"f\"") + "#EXTINF:1,\n1\n" + key("c", "")
            + "#EXTINF:1,\n2\n#EXT-X-KEY:METHOD=NONE\n#EXTINF:1,\n3\n" + key("d", "") + "#EXTINF:1,\n4\n"
        let playlist = try #require(try PlaylistParser().parse(text).playlist.media)
        #expect(playlist.segments.map { $0.keys.map(\.uri) } == [["a", "b"], ["c", "b"], [nil], ["d"]])
    }
}
