import Foundation
import HLS
import MediaCache
import Testing

@testable import MediaLibrary

/// Tests of the tracks and gaps of a window.
struct WindowTrackTests {
    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    @Test func omitsTracksWithoutSegments() async throws {
        let entry = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="audio-1/index.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="two",URI="audio-2/index.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1000,CODECS="avc1.640028",AUDIO="a"
            video-1/index.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS="avc1.640028",AUDIO="b"
            video-2/index.m3u8

            """
        let fixture = try await WindowFixture(tracks: ["video-1", "video-2", "audio-1", "audio-2"], entry: entry)
        for (index, numbers) in [0..<100, 50..<100, 0..<100, 90..<100].enumerated() {
            try await fixture.recording.timelines[index].append(
                TimelineRows.stored(Int64(numbers.lowerBound)..<Int64(numbers.upperBound)))
        }
        func folders(_ request: WindowRequest) async throws -> [String] {
            let text = try await fixture.recording.entry(request).text
            let parsed = try PlaylistParser(isStrict: true).parse(text)
            #expect(parsed.diagnostics.filter { $0.severity > .note } == [], "\(text)")
            guard case .multivariant(let playlist) = parsed.playlist else { return [] }
            return (playlist.variants.map(\.uri) + playlist.renditions.compactMap(\.uri)).map {
                String($0.prefix { $0 != "/" })
            }
        }
        let first = WindowRequest.span(from: Self.time(0), to: Self.time(10))
        #expect(try await folders(first) == ["video-1", "audio-1"])
        #expect(try await folders(.span(from: Self.time(60), to: Self.time(70))) == ["video-1", "video-2", "audio-1"])
        #expect(try await folders(.live(nil)) == ["video-1", "video-2", "audio-1", "audio-2"])
        #expect(try await folders(.all) == ["video-1", "video-2", "audio-1", "audio-2"])
        await fixture.close()
    }

    private static let twoVariants = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="audio-1/index.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
        video-1/index.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"
        video-2/index.m3u8

        """

    private func plan(of window: RecordedWindow) throws -> StreamPlan {
        let playlists = window.contents.playlists.map { (ContentsIndex.base + $0.name, Array($0.text.utf8)) }
        return try StreamPlan(
            playlist: ContentsIndex.base + window.contents.entry, choice: .allOfAsset,
            resources: MemoryResources(Dictionary(uniqueKeysWithValues: playlists)))
    }

    /// The best variant stream failed for most of the window.
    @Test func exportsRecordedVariantStream() async throws {
        let fixture = try await WindowFixture(tracks: ["video-1", "video-2", "audio-1"], entry: Self.twoVariants)
        let timelines = fixture.recording.timelines
        var rows = TimelineRows.stored(0..<100)
        for index in 10..<90 { rows[index].state = .gap }
        try await timelines[0].append(rows)
        for timeline in timelines.dropFirst() { try await timeline.append(TimelineRows.stored(0..<100)) }
        func choice(_ numbers: Range<Int64>) async throws -> [String] {
            let window = try await fixture.recording.assembled(
                from: Self.time(numbers.lowerBound), to: Self.time(numbers.upperBound))
            return try plan(of: window).locations.compactMap { ContentsIndex.name(of: $0) }
        }
        #expect(try await choice(0..<100) == ["video-2/index.m3u8", "audio-1/index.m3u8"])
        #expect(try await choice(90..<100) == ["video-1/index.m3u8", "audio-1/index.m3u8"])
        await fixture.close()
    }

    @Test func trackCountsWhileStreamListsIt() async throws {
        let tracks = ["video-1", "video-2", "audio-1", "audio-2", "audio-3", "text-1"]
        let entry =
            Self.twoVariants
                + """
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="three",URI="audio-3/index.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="t",NAME="four",URI="text-1/index.m3u8"

                """
        let fixture = try await WindowFixture(tracks: tracks, entry: entry)
        // The fourth track is no longer in the stream. The last two never had a segment.
        for (index, numbers) in [0..<100, 0..<100, 50..<100, 0..<20].enumerated() {
            try await fixture.recording.timelines[index].append(
                TimelineRows.stored(Int64(numbers.lowerBound)..<Int64(numbers.upperBound)))
        }
        try await fixture.recording.change { channel in
            channel.tracks[4].namedSince = Date(nanosecondsSinceEpoch: Self.time(85))
        }
        func window(_ numbers: Range<Int64>) async throws -> RecordedWindow {
            try await fixture.recording.assembled(
                from: Self.time(numbers.lowerBound), to: Self.time(numbers.upperBound))
        }
        for numbers in [0..<40, 10..<30, 30..<70, 60..<80] as [Range<Int64>] {
            let window = try await window(numbers)
            #expect(window.gaps == 0 && window.missingTracks == [], "\(numbers)")
        }
        #expect(try await window(70..<95).missingTracks == ["audio-3"])
        // The stream listed the track from the beginning.
        try await fixture.recording.change { channel in
            channel.tracks[2].namedSince = Date(nanosecondsSinceEpoch: Self.time(0))
        }
        let before = try await window(10..<40)
        #expect(before.gaps == 1 && before.missingTracks == ["audio-1"])
        #expect(try await window(30..<70).gapsByTrack["audio-1"] == 1)
        await fixture.close()
    }

    @Test func countsGapsOnlyInTracksOfFilm() async throws {
        let tracks = ["video-1", "video-2", "audio-1", "audio-2"]
        let entry = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="audio-1/index.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="two",DEFAULT=YES,URI="audio-2/index.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
            video-1/index.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="b"
            video-2/index.m3u8

            """
        let fixture = try await WindowFixture(tracks: tracks, entry: entry)
        let timelines = fixture.recording.timelines
        try await timelines[0].append(TimelineRows.stored(0..<200))
        var rows = TimelineRows.stored(0..<200)
        rows[10].state = .gap
        try await timelines[1].append(rows)
        try await timelines[2].append(TimelineRows.stored(0..<100))
        try await timelines[3].append(TimelineRows.stored(20..<100))
        try await fixture.recording.change { channel in
            channel.tracks[3].namedSince = Date(nanosecondsSinceEpoch: Self.time(0))
        }
        func gaps(_ numbers: Range<Int64>) async throws -> Int {
            let window = try await fixture.recording.assembled(
                from: Self.time(numbers.lowerBound), to: Self.time(numbers.upperBound))
            let plan = try plan(of: window)
            #expect(plan.locations.first.flatMap { ContentsIndex.name(of: $0) } == "video-1/index.m3u8")
            return window.gaps(in: plan)
        }
        // The other variant stream lost a segment, and some or all of its audio.
        #expect(try await gaps(0..<100) == 0)
        #expect(try await gaps(0..<20) == 0)
        // The film's audio ends early or is missing.
        #expect(try await gaps(50..<150) == 1)
        #expect(try await gaps(120..<150) == 1)
        await fixture.close()
    }

    /// The holes of a live download include tracks without segments.
    @Test func trackWithoutSegmentIsHole() async throws {
        let fixture = try await WindowFixture(tracks: ["video-1", "video-2", "audio-1"], entry: Self.twoVariants)
        for timeline in fixture.recording.timelines.dropLast() {
            try await timeline.append(TimelineRows.stored(0..<10))
        }
        let holes = try await fixture.recording.holes()
        #expect(holes.map(\.url) == ["http://origin.example/live/audio-1.m3u8"])
        #expect(holes.map(\.start) == [0] && holes.map(\.duration) == [20])
        try await fixture.recording.change { channel in
            channel.tracks[2].namedSince = Date(nanosecondsSinceEpoch: Self.time(6))
        }
        let later = try await fixture.recording.holes()
        #expect(later.map(\.start) == [12] && later.map(\.duration) == [8])
        await fixture.close()
    }

    /// The stream has replaced its audio group, and removed a variant stream and a language.
    @Test func removedTracksJoinGroupsOfStream() throws {
        func playlist(_ text: String) throws -> MultivariantPlaylist {
            let parsed = try PlaylistParser(isStrict: true).parse(text)
            #expect(parsed.diagnostics.filter { $0.severity > .note } == [], "\(text)")
            guard case .multivariant(let playlist) = parsed.playlist else { throw CacheError(.notMedia, text) }
            return playlist
        }
        let earlier = try playlist(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="E",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="audio-1/index.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="D",LANGUAGE="de",AUTOSELECT=YES,URI="audio-2/index.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="a"
            video-1/index.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=1000,AUDIO="a"
            video-2/index.m3u8

            """)
        let entry = try playlist(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="E",LANGUAGE="es",DEFAULT=YES,AUTOSELECT=YES,URI="audio-3/index.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=2000,AUDIO="b"
            video-1/index.m3u8

            """)
        let text = LocalPlaylistWriter.text(of: .multivariant(ChannelEntry.adding(earlier, to: entry)))
        let all = try playlist(text)
        #expect(all.variants.map(\.uri) == ["video-1/index.m3u8", "video-2/index.m3u8"])
        #expect(all.variants.map(\.audioGroup) == ["b", "b"])
        #expect(all.renditions.compactMap(\.uri) == [3, 1, 2].map { "audio-\($0)/index.m3u8" })
        #expect(all.renditions.map(\.name) == ["E", "E (earlier)", "D"])
        #expect(all.renditions.map(\.isDefault) == [true, false, false])
        // Merging again changes nothing.
        #expect(LocalPlaylistWriter.text(of: .multivariant(ChannelEntry.adding(all, to: entry))) == text)
        // The audio is now in the variant stream.
        let muxed = try playlist("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nvideo-1/index.m3u8\n")
        let past = ChannelEntry.text(
            LocalPlaylistWriter.text(of: .multivariant(ChannelEntry.adding(earlier, to: muxed))),
            playlist: "index.m3u8", having: ["video-1", "audio-1"])
        #expect(try playlist(past).variants.map(\.audioGroup) == ["a"])
        #expect(try playlist(past).renditions.map(\.isDefault) == [true])
        let present = ChannelEntry.text(
            LocalPlaylistWriter.text(of: .multivariant(ChannelEntry.adding(earlier, to: muxed))),
            playlist: "index.m3u8", having: ["video-1"])
        #expect(try playlist(present).variants == muxed.variants)
        #expect(try playlist(present).renditions.isEmpty)
    }
}
