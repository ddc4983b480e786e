import Foundation
import HLS
import MediaContainers
import MediaLibrary
import Testing

struct StreamPlanTests {
    private func plan(
        _ playlists: [String: String], _ choice: StreamChoice = StreamChoice(), available: Set<String>? = nil
    ) throws -> StreamPlan {
        let files = playlists.map { ("http://h/s/\($0.key)", Array($0.value.utf8)) }
        let resources = MemoryResources(Dictionary(uniqueKeysWithValues: files))
        return try StreamPlan(playlist: "http://h/s/index.m3u8", choice: choice, resources: resources) { url in
            available?.contains(url) ?? true
        }
    }

    private func plan(_ lines: String...) throws -> StreamPlan {
        try plan(["index.m3u8": media(lines.joined(separator: "\n"))])
    }

    private func media(_ lines: String...) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:10\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n"
    }

    @Test func listsSegmentsInOrder() throws {
        let plan = try plan(
            "#EXTINF:4,", "1.ts", "#EXTINF:6,", "2.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:2,", "/3.ts", "#EXTINF:2,",
            "#EXT-X-GAP", "4.ts", "#EXTINF:2,", "http://other/5.ts")
        let parts = try #require(plan.inputs.first)
        #expect(plan.inputs.count == 1)
        #expect(parts.map(\.url) == ["http://h/s/1.ts", "http://h/s/2.ts", "http://h/3.ts", "http://other/5.ts"])
        #expect(parts.map(\.join) == [.continuous, .continuous, .discontinuity, .gap])
        #expect(parts.map(\.start) == [0, 4, 10, 14])
        #expect(plan.duration == 16)
        #expect(!plan.isLive)
    }

    @Test func includesByteRangesAndSections() throws {
        let plan = try plan(
            "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"700@0\"", "#EXTINF:4,", "#EXT-X-BYTERANGE:100@700", "all.mp4",
            "#EXTINF:4,", "#EXT-X-BYTERANGE:50", "all.mp4")
        let parts = try #require(plan.inputs.first)
        #expect(parts.map(\.range) == [700..<800, 800..<850])
        #expect(parts[1].section?.url == "http://h/s/all.mp4")
        #expect(parts[1].section?.range == 0..<700)
    }

    /// The default initialization vector is the media sequence number (RFC 8216bis §5.2).
    @Test func derivesInitializationVectors() throws {
        let plan = try plan(
            "#EXT-X-MEDIA-SEQUENCE:258", "#EXTINF:4,", "1.ts", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXTINF:4,",
            "2.ts", "#EXT-X-KEY:METHOD=AES-256,URI=\"/k2\",IV=0x000102030405060708090A0B0C0D0E0F", "#EXTINF:4,", "3.ts",
            "#EXT-X-KEY:METHOD=NONE", "#EXTINF:4,", "4.ts")
        let keys = try #require(plan.inputs.first).map(\.key)
        #expect(keys[0] == nil && keys[3] == nil)
        #expect(keys[1]?.cipher == .aes128)
        #expect(keys[1]?.url == "http://h/s/k")
        #expect(keys[1]?.initializationVector == [UInt8](repeating: 0, count: 14) + [1, 3])
        #expect(keys[2]?.cipher == .aes256)
        #expect(keys[2]?.url == "http://h/k2")
        #expect(keys[2]?.initializationVector == (0..<16).map { UInt8($0) })
    }

    @Test(arguments: [
        "METHOD=SAMPLE-AES,URI=\"k\"", "METHOD=SAMPLE-AES-CTR,URI=\"k\"", "METHOD=AES-1024,URI=\"k\"",
        "METHOD=AES-128,URI=\"skd://k\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
    ])
    func throwsForUnsupportedEncryption(key: String) throws {
        let error = #expect(throws: ContainerError.self) { try plan("#EXT-X-KEY:\(key)", "#EXTINF:4,", "1.ts") }
        #expect(error?.code == .encrypted)
        #expect(error?.summary.contains("the segment at 0 s") == true)
    }

    /// A segment that can't be decrypted doesn't affect the others.
    @Test func marksSingleUndecryptableSegment() throws {
        let plan = try plan(
            "#EXTINF:4,", "1.ts", "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"", "#EXTINF:4,", "2.ts",
            "#EXT-X-KEY:METHOD=NONE", "#EXTINF:4,", "3.ts")
        let parts = try #require(plan.inputs.first)
        #expect(parts.map(\.start) == [0, 4, 8])
        #expect(parts.map { $0.obstacle != nil } == [false, true, false])
        #expect(parts[1].obstacle?.contains("SAMPLE-AES") == true)
    }

    @Test func listsAbsentSegments() throws {
        let plan = try plan("#EXTINF:4,", "1.ts", "#EXT-X-GAP", "#EXTINF:5,", "2.ts", "#EXTINF:4,", "3.ts")
        #expect(plan.gaps.map(\.start) == [4] && plan.gaps.map(\.duration) == [5])
        #expect(plan.gaps.map(\.cause) == [.lost])
    }

    /// The difference between the dates exceeds the range of a signed 64-bit number of nanoseconds.
    @Test func comparesDatesCenturiesApart() throws {
        let lines = [
            "#EXT-X-PROGRAM-DATE-TIME:1700-01-01T00:00:00Z", "#EXTINF:4,", "1.ts",
            "#EXT-X-PROGRAM-DATE-TIME:2260-01-01T00:00:00Z", "#EXTINF:4,", "2.ts",
        ]
        var playlists = stream()
        for name in ["high", "en"] { playlists["\(name).m3u8"] = media(lines.joined(separator: "\n")) }
        let plan = try plan(playlists)
        #expect(plan.inputs.map { $0.map(\.discontinuities) } == [[0, 0], [0, 0]])
    }

    private static let multivariant = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=500000,RESOLUTION=640x360,AUDIO="a"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1280x720,AUDIO="a"
        high.m3u8
        """

    private func stream() -> [String: String] {
        var playlists = ["index.m3u8": Self.multivariant]
        for name in ["low", "high", "en", "de"] { playlists["\(name).m3u8"] = media("#EXTINF:4,", "\(name).ts") }
        return playlists
    }

    @Test(arguments: [
        (StreamChoice(), ["high", "en"]), (StreamChoice(language: "de"), ["high", "de"]),
        (StreamChoice(variants: [.height(atMost: 400)]), ["low", "en"]),
        (StreamChoice(variants: [.lowest], includesAllAudio: true), ["low", "en", "de"]),
        (StreamChoice(language: "de", includesAllAudio: true), ["high", "de", "en"]),
    ])
    func choosesVariantStreamAndAudio(choice: StreamChoice, names: [String]) throws {
        let plan = try plan(stream(), choice)
        #expect(plan.inputs.map { $0.map(\.url) } == names.map { ["http://h/s/\($0).ts"] })
    }

    @Test(arguments: [
        (StreamChoice(), [TrackLabel?.none, english(true)]), (StreamChoice(language: "de"), [nil, german(true)]),
        (StreamChoice(language: "de", includesAllAudio: true), [nil, german(true), english(false)]),
    ])
    func labelsAudioByRenditions(choice: StreamChoice, audioLabels: [TrackLabel?]) throws {
        #expect(try plan(stream(), choice).audioLabels == audioLabels)
    }

    private static func english(_ isDefault: Bool) -> TrackLabel {
        TrackLabel(language: "en", name: "English", isDefault: isDefault)
    }

    private static func german(_ isDefault: Bool) -> TrackLabel {
        TrackLabel(language: "de", name: "Deutsch", isDefault: isDefault)
    }

    /// Without a default rendition, the first one is the default.
    @Test func defaultRenditionIsFirst() throws {
        var playlists = stream()
        let text = Self.multivariant.replacing(",DEFAULT=YES", with: "")
        playlists["index.m3u8"] = text
        #expect(try plan(playlists).audioLabels == [nil, Self.english(true)])
        let all = StreamChoice(includesAllAudio: true)
        #expect(try plan(playlists, all).audioLabels == [nil, Self.english(true), Self.german(false)])
        playlists["index.m3u8"] = text.replacing("URI=\"de", with: "DEFAULT=YES,URI=\"de")
        #expect(try plan(playlists, all).audioLabels == [nil, Self.german(true), Self.english(false)])
    }

    /// A rendition without a playlist is in the variant stream's segments (RFC 8216bis §4.4.6.2.1).
    @Test func labelsMuxedAudio() throws {
        var playlists = stream()
        playlists["index.m3u8"] = Self.multivariant.replacing(",URI=\"en.m3u8\"", with: "")
        #expect(try plan(playlists).audioLabels == [Self.english(true)])
        let german = try plan(playlists, StreamChoice(language: "de"))
        #expect(german.audioLabels == [Self.english(false), Self.german(true)])
        // Two muxed renditions can't be distinguished.
        playlists["index.m3u8"] = playlists["index.m3u8"]?.replacing(",URI=\"de.m3u8\"", with: "")
        #expect(try plan(playlists).audioLabels == [TrackLabel(isDefault: true)])
    }

    private static let groups = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="English",DEFAULT=YES,URI="de.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="c",NAME="English",DEFAULT=YES
        #EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="v",NAME="Far",DEFAULT=YES,URI="far.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=500000,AUDIO="VARIANT"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000000,AUDIO="a"
        high.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=3000000,AUDIO="b",VIDEO="v"
        best.m3u8
        """

    /// A variant stream is playable if each group that it refers to has an available rendition.
    @Test(arguments: [
        ("b", ["low", "high", "de"], ["low", "de"]), ("c", ["low", "high"], ["low"]),
        ("b", ["low", "high", "en", "de"], ["high", "en"]), ("b", ["low", "best", "de"], ["low", "de"]),
        ("b", ["low", "best", "de", "far"], ["best", "de"]), ("unknown", ["low", "high"], ["low"]),
        // If none is playable, a stream with available video is used.
        ("b", ["high"], ["high", "en"]),
    ])
    func skipsVariantStreamsWithoutAvailableAudio(group: String, available: [String], names: [String]) throws {
        var playlists = stream()
        playlists["best.m3u8"] = media("#EXTINF:4,", "best.ts")
        playlists["index.m3u8"] = Self.groups.replacing("VARIANT", with: group)
        let plan = try plan(playlists, available: Set(available.map { "http://h/s/\($0).m3u8" }))
        #expect(plan.inputs.map { $0.map(\.url) } == names.map { ["http://h/s/\($0).ts"] })
    }

    @Test func looksUpAvailabilityByNormalizedURL() throws {
        let playlists = [
            "index.m3u8": """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=2
            missing.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1
            HTTP://H:80/s/./low.m3u8#here
            """
        ]
        let error = #expect(throws: ContainerError.self) { try plan(playlists, available: ["http://h/s/low.m3u8"]) }
        #expect(error?.summary.contains("low.m3u8") == true)
    }

    @Test func throwsForUnmatchedChoice() throws {
        let error = #expect(throws: ContainerError.self) {
            try plan(stream(), StreamChoice(variants: [.codec("hvc1")]))
        }
        #expect(error?.code == .unsupported)
    }

    @Test(arguments: ["<!DOCTYPE html><html></html>", "#EXTM3U\n", ""])
    func throwsWithoutSegments(text: String) throws {
        #expect(throws: ContainerError.self) { try plan(["index.m3u8": text]) }
    }

    @Test(arguments: ["file:///etc/passwd", "FILE:///etc/passwd", "data:,a", "gopher://h/a"])
    func rejectsLocalReferencesInRemotePlaylists(uri: String) throws {
        let error = #expect(throws: ContainerError.self) { try plan("#EXTINF:4,", uri) }
        #expect(error?.summary.contains(uri) == true)
        // A key embedded in the playlist isn't a reference.
        guard !uri.hasPrefix("data:") else { return }
        #expect(throws: ContainerError.self) {
            try plan("#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\"", "#EXTINF:4,", "1.ts")
        }
    }

    @Test func detectsLivePlaylist() throws {
        let plan = try plan(["index.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.ts\n"])
        #expect(plan.isLive)
    }

    @Test func countsDiscontinuitiesConsistentlyInAllInputs() throws {
        var playlists = stream()
        playlists["high.m3u8"] = media(
            "#EXT-X-DISCONTINUITY-SEQUENCE:7", "#EXTINF:4,", "1.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:4,", "2.ts")
        playlists["en.m3u8"] = media(
            "#EXT-X-DISCONTINUITY-SEQUENCE:6", "#EXTINF:4,", "1.aac", "#EXT-X-DISCONTINUITY", "#EXTINF:4,",
            "#EXT-X-GAP", "2.aac", "#EXT-X-DISCONTINUITY", "#EXTINF:4,", "3.aac")
        #expect(try plan(playlists).inputs.map { $0.map(\.discontinuities) } == [[1, 2], [0, 2]])
        // If the inputs have no common numbers, each is counted separately.
        playlists["en.m3u8"] = media("#EXTINF:8,", "1.aac")
        #expect(try plan(playlists).inputs.map { $0.map(\.discontinuities) } == [[0, 1], [0]])
    }

    /// A rendition whose recording begins at the third discontinuity counts discontinuities from there. The dates show
    /// the difference.
    @Test func alignsDiscontinuitiesByDates() throws {
        func part(_ name: String, at second: Int) -> [String] {
            ["#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:2026-01-31T20:00:0\(second)Z", "#EXTINF:2,", name]
        }
        func playlist(_ first: Int, _ lines: [String]) -> String {
            let header = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-DISCONTINUITY-SEQUENCE:\(first)\n"
            return header + (lines + ["#EXT-X-ENDLIST"]).joined(separator: "\n") + "\n"
        }
        var playlists = stream()
        let video = part("1.ts", at: 0) + part("2.ts", at: 2) + part("3.ts", at: 4) + part("4.ts", at: 6)
        playlists["high.m3u8"] = playlist(0, video)
        playlists["en.m3u8"] = playlist(0, part("3.aac", at: 4) + part("4.aac", at: 6))
        #expect(try plan(playlists).inputs.map { $0.map(\.discontinuities) } == [[0, 1, 2, 3], [2, 3]])
        playlists["en.m3u8"] = playlist(2, part("3.aac", at: 4) + part("4.aac", at: 6))
        #expect(try plan(playlists).inputs.map { $0.map(\.discontinuities) } == [[0, 1, 2, 3], [2, 3]])
        // These have other numbers and slightly different segment boundaries.
        playlists["en.m3u8"] = playlist(50, part("2.aac", at: 2) + part("3.aac", at: 5))
        #expect(try plan(playlists).inputs.map { $0.map(\.discontinuities) } == [[0, 1, 2, 3], [1, 2]])
    }

    /// Returns the processor time that the thread has used, which other tests don't affect.
    private func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Each of the 50,000 discontinuities overlaps the only video segment. Comparing all of them for each possible
    /// shift takes minutes.
    @Test func alignsManyDiscontinuitiesInOnePass() throws {
        let date = "#EXT-X-PROGRAM-DATE-TIME:2026-01-31T20:00:00Z\n"
        var playlists = stream()
        playlists["high.m3u8"] = media(date + "#EXTINF:50003,", "1.ts")
        let audio = (0..<50_000).map { "#EXT-X-DISCONTINUITY\n#EXTINF:\($0 == 40_000 ? 4 : 1),\n\($0).aac\n" }
        playlists["en.m3u8"] = media(date + audio.joined())
        let began = threadTime()
        let inputs = try plan(playlists).inputs
        #expect(threadTime() - began < .seconds(60))
        #expect(inputs.first?.map(\.discontinuities) == [40_000])
        #expect(inputs.last?.count == 50_000 && inputs.last?.last?.discontinuities == 49_999)
    }

    @Test func joinsPlans() throws {
        let one = try plan("#EXTINF:4,", "1.ts", "#EXTINF:4,", "2.ts")
        let joined = StreamPlan(joining: [one, one])
        #expect(joined.inputs[0].map(\.start) == [0, 4, 8, 12])
        #expect(joined.inputs[0].map(\.join) == [.continuous, .continuous, .discontinuity, .continuous])
        #expect(joined.duration == 16)
        let (english, german) = (try plan(stream()), try plan(stream(), StreamChoice(language: "de")))
        #expect(StreamPlan(joining: [english, english]).audioLabels == english.audioLabels)
        #expect(StreamPlan(joining: [english, german]).audioLabels == [nil, nil])
        #expect(joined.inputs[0].map(\.discontinuities) == [0, 0, 1, 1])
        // Files may belong to one recording with a single clock, which only their contents show.
        let file = StreamPlan(inputs: [[StreamPart(url: "file:///a.ts")]])
        #expect(StreamPlan(joining: [file, file]).inputs[0].map(\.join) == [.continuous, .file])
    }

    private func track(_ name: String, _ count: Int, gaps: Range<Int> = 0..<0) -> String {
        media(
            (0..<count).map { "\(gaps.contains($0) ? "#EXT-X-GAP\n" : "")#EXTINF:6,\n\(name)-\($0).ts" }
                .joined(separator: "\n"))
    }

    /// A recording may contain little of the best variant stream and of the default rendition.
    @Test(arguments: [(6, ["middle-0", "de-6", "en-0"]), (10, ["middle-0", "en-0"])])
    func skipsVariantStreamAndAudioWithLittleMedia(lost: Int, names: [String]) throws {
        let playlists = [
            "index.m3u8": """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="1",DEFAULT=YES,AUTOSELECT=YES,LANGUAGE="de",URI="de.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="2",AUTOSELECT=YES,LANGUAGE="en",URI="en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=3000,AUDIO="a"
            high.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
            middle.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"
            low.m3u8

            """,
            "high.m3u8": track("high", 10, gaps: 3..<8),
            // One missing segment makes no difference.
            "middle.m3u8": track("middle", 9), "low.m3u8": track("low", 10), "en.m3u8": track("en", 10),
            "de.m3u8": track("de", 10, gaps: 0..<lost),
        ]
        let recorded = try plan(playlists, .allOfAsset)
        #expect(recorded.inputs.compactMap { $0.first?.url } == names.map { "http://h/s/\($0).ts" })
        #expect(recorded.audioLabels.map { $0?.isDefault } == [nil, true, false])
        guard lost < 10 else { return }
        let selected = try plan(playlists)
        #expect(selected.inputs.compactMap { $0.first?.url } == ["high-0", "de-6"].map { "http://h/s/\($0).ts" })
        // A rendition in the requested language is used in any case.
        var german = StreamChoice.allOfAsset
        german.language = "de"
        #expect(try plan(playlists, german).inputs[1].first?.url == "http://h/s/de-6.ts")
    }

    /// The best variant stream lacks segments that a smaller one has. The variant stream without video is complete, but
    /// isn't chosen.
    @Test(arguments: [(0, 2, "high"), (0, 20, "low"), (40, 42, "high")])
    func choosesBestVideoUnlessManySegmentsAreMissing(common: Int, lost: Int, name: String) throws {
        let playlists = [
            "index.m3u8": """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=3000,RESOLUTION=1920x1080
            high.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS="avc1.640028,mp4a.40.2"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=64,CODECS="mp4a.40.2"
            sound.m3u8

            """,
            "high.m3u8": track("high", 100, gaps: 1..<1 + lost),
            "low.m3u8": track("low", 100, gaps: 1..<1 + common), "sound.m3u8": track("sound", 100),
        ]
        #expect(try plan(playlists, .allOfAsset).inputs[0].first?.url == "http://h/s/\(name)-0.ts")
    }
}
