import HLS
import Testing

struct MediaPlaylistReloadTests {
    private func parse(_ text: String) throws -> MediaPlaylist {
        try #require(try PlaylistParser().parse(text).playlist.media)
    }

    /// Returns a playlist with segments of 4 seconds, named by their media sequence numbers.
    private func playlist(_ range: Range<Int>, header: String = "", footer: String = "", name: String = "s") throws
        -> MediaPlaylist
    {
        let segments = range.map { "#EXTINF:4,\n\(name)\($0).ts\n" }.joined()
        return try parse(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(range.lowerBound)\n\(header)\(segments)\(footer)"
        )
    }

    @Test func reportsNewAndRemovedSegments() throws {
        let reload = try playlist(10..<15).reloaded(with: playlist(12..<17))
        #expect(reload.outcome == .updated)
        #expect(reload.newSegments == 15..<17)
        #expect(reload.removedSegments == 10..<12)
        #expect(reload.missedSegments.isEmpty)
        #expect(reload.playlist.segments.map(\.uri) == (12..<17).map { "s\($0).ts" })
    }

    @Test func reportsUnchangedPlaylist() throws {
        let reload = try playlist(10..<15).reloaded(with: playlist(10..<15))
        #expect(reload.outcome == .unchanged)
        #expect(reload.newSegments.isEmpty)
        #expect(reload.removedSegments.isEmpty)
    }

    @Test func reportsAllSegmentsOfFirstLoadAsNew() throws {
        let reload = try MediaPlaylist().reloaded(with: playlist(10..<12))
        #expect(reload.outcome == .updated)
        #expect(reload.newSegments == 10..<12)
        #expect(reload.missedSegments.isEmpty)
    }

    @Test func reportsMissedSegments() throws {
        let reload = try playlist(10..<15).reloaded(with: playlist(18..<20))
        #expect(reload.outcome == .updated)
        #expect(reload.missedSegments == 15..<18)
        #expect(reload.newSegments == 18..<20)
        #expect(reload.removedSegments == 10..<15)
    }

    @Test func ignoresOlderPlaylist() throws {
        let known = try playlist(12..<17)
        let reload = try known.reloaded(with: playlist(10..<15))
        #expect(reload.outcome == .stale)
        #expect(reload.playlist == known)
    }

    @Test func ignoresEmptyPlaylistExceptForItsEndList() throws {
        let known = try playlist(12..<17)
        #expect(try known.reloaded(with: parse("#EXTM3U\n#EXT-X-TARGETDURATION:4\n")).outcome == .stale)
        let ended = try known.reloaded(with: parse("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-ENDLIST\n"))
        #expect(ended.hasEnded)
        #expect(ended.playlist.segments == known.segments)
    }

    @Test func detectsRestartedMediaSequence() throws {
        let behind = try playlist(500..<505).reloaded(with: playlist(0..<3))
        #expect(behind.outcome == .reset)
        #expect(behind.newSegments == 0..<3)
        #expect(behind.removedSegments == 500..<505)
        let sameNumbers = try playlist(0..<5).reloaded(with: playlist(0..<6, name: "other"))
        #expect(sameNumbers.outcome == .reset)
    }

    @Test func ignoresQueriesWhenComparingSegments() throws {
        let known = try parse("#EXTM3U\n#EXTINF:4,\na.ts?t=1\n")
        let reload = try known.reloaded(with: parse("#EXTM3U\n#EXTINF:4,\na.ts?t=2\n#EXTINF:4,\nb.ts?t=2\n"))
        #expect(reload.outcome == .updated)
        #expect(reload.newSegments == 1..<2)
    }

    @Test func restoresSegmentsSkippedByDeltaUpdate() throws {
        let known = try playlist(10..<16, header: "#EXT-X-MAP:URI=\"init.mp4\"\n")
        let update = try parse(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MEDIA-SEQUENCE:11
            #EXT-X-SKIP:SKIPPED-SEGMENTS=4
            #EXTINF:4,
            s15.ts
            #EXTINF:4,
            s16.ts
            """)
        let reload = try known.reloaded(with: update)
        #expect(reload.outcome == .updated)
        #expect(reload.playlist.skip == nil)
        #expect(reload.playlist.mediaSequence == 11)
        #expect(reload.playlist.segments.map(\.uri) == (11..<17).map { "s\($0).ts" })
        #expect(reload.playlist.segments.allSatisfy { $0.map?.uri == "init.mp4" })
        #expect(reload.newSegments == 16..<17)
    }

    /// The key tag that applies to the new map is among the skipped lines, unless the update has one before the map.
    @Test(
        arguments: [
            ("", "key"), ("#EXT-X-KEY:METHOD=NONE\n", nil), ("#EXT-X-KEY:METHOD=AES-128,URI=\"next\"\n", "next"),
        ] as [(String, String?)])
    func restoresKeyOfMapInDeltaUpdate(tag: String, key: String?) throws {
        let known = try playlist(
            10..<16, header: "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXT-X-MAP:URI=\"init.mp4\"\n")
        let update = try parse(
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:11\n#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n"
                + "#EXTINF:4,\ns15.ts\n\(tag)#EXT-X-MAP:URI=\"other.mp4\"\n#EXTINF:4,\ns16.ts\n")
        let segments = try known.reloaded(with: update).playlist.segments
        #expect(segments[4].map?.keys.first?.uri == "key")
        #expect(segments[5].map?.uri == "other.mp4")
        #expect(segments[5].map?.keys.first?.uri == key)
        #expect(segments[5].keys.first?.uri == key)
    }

    @Test func rejectsDeltaUpdateThatSkipsUnknownSegments() throws {
        let update = try parse("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:5\n#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n#EXTINF:4,\ns9.ts\n")
        #expect(throws: PlaylistReloadError.unknownSegments(5..<9)) { try playlist(8..<12).reloaded(with: update) }
    }

    @Test func removesDateRangesListedInDeltaUpdate() throws {
        let range = { (id: String) in "#EXT-X-DATERANGE:ID=\"\(id)\",START-DATE=\"2024-01-01T00:00:00Z\"\n" }
        let control = "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=24,CAN-SKIP-DATERANGES=YES\n"
        let known = try playlist(10..<14, header: control + range("old") + range("remaining"))
        let update = try parse(
            "#EXTM3U\n\(control)#EXT-X-MEDIA-SEQUENCE:11\n"
                + "#EXT-X-SKIP:SKIPPED-SEGMENTS=2,RECENTLY-REMOVED-DATERANGES=\"old\"\n"
                + "#EXTINF:4,\ns13.ts\n\(range("new"))#EXTINF:4,\ns14.ts\n")
        let reload = try known.reloaded(with: update)
        #expect(reload.playlist.dateRanges.map(\.id) == ["remaining", "new"])
        #expect(reload.removedDateRanges == ["old"])
    }

    @Test func countsRemovedDiscontinuitiesWithoutDiscontinuitySequence() throws {
        let known = try parse(
            """
            #EXTM3U
            #EXT-X-DISCONTINUITY-SEQUENCE:3
            #EXTINF:4,
            s0.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:4,
            s1.ts
            #EXTINF:4,
            s2.ts
            """)
        let reload = try known.reloaded(with: playlist(2..<4))
        #expect(reload.playlist.resolvedSegments.map(\.discontinuitySequence) == [4, 4])
    }

    @Test func continuesClockAfterDatedSegmentIsRemoved() throws {
        let known = try playlist(0..<3, header: "#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z\n")
        var reload = try known.reloaded(with: playlist(2..<5))
        #expect(reload.playlist.segments[0].programDateTime?.text == "2024-01-01T00:00:08.000Z")
        reload = try reload.playlist.reloaded(with: playlist(5..<6))
        #expect(reload.playlist.segments[0].programDateTime?.text == "2024-01-01T00:00:20.000Z")
    }

    /// A byte range without an offset begins at the end of the previous part, even if that part was already known or
    /// has another URI.
    @Test func continuesByteRangesOfParts() throws {
        let part = { (name: String, range: String) in
            "#EXT-X-PART:DURATION=1,URI=\"\(name)\",BYTERANGE=\"\(range)\"\n"
        }
        let first = part("2.0", "1000@1234")
        let known = try playlist(0..<2, footer: first)
        let grown = try known.reloaded(
            with: playlist(
                0..<2,
                footer: first + part("2.1", "500") + part("2.1", "7@0") + part("2.1", "3")
                    + "#EXT-X-PART:DURATION=1,URI=\"2.4\"\n" + part("2.5", "9")))
        #expect(grown.newParts.map(\.byteRange) == [2234..<2734, 0..<7, 7..<10, nil, 0..<9])
    }

    @Test func reportsNewParts() throws {
        let part = { (name: String) in "#EXT-X-PART:DURATION=1,URI=\"\(name)\"\n" }
        let known = try playlist(0..<2, footer: part("2.0"))
        let grown = try known.reloaded(with: playlist(0..<2, footer: part("2.0") + part("2.1")))
        #expect(grown.outcome == .updated)
        #expect(grown.newParts.map(\.part.uri) == ["2.1"])
        #expect(grown.newParts.map(\.index) == [1])
        let next = try parse(
            "#EXTM3U\n#EXTINF:4,\ns0.ts\n#EXTINF:4,\ns1.ts\n\(part("2.0"))\(part("2.1"))#EXTINF:2,\ns2.ts\n\(part("3.0"))"
        )
        let reload = try known.reloaded(with: next)
        #expect(reload.newParts.map { "\($0.mediaSequence).\($0.index)" } == ["2.1", "3.0"])
        #expect(try grown.playlist.reloaded(with: known).outcome == .stale)
    }
}
