import MediaCache
import Testing

@testable import MediaLibrary

struct InspectionReportTests {
    private func report(_ text: String, base: String? = nil) throws -> [String] {
        let body = PlaylistBody(bytes: Array(text.utf8), name: "list.m3u8")
        let inspection = try PlaylistInspection(body, base: base.map { try ResourceURL($0) })
        return inspection.report.lines
    }

    @Test func summarizesMediaPlaylist() throws {
        let lines = try report(
            """
            #EXTM3U
            #EXT-X-VERSION:3
            #EXT-X-TARGETDURATION:60
            #EXT-X-KEY:METHOD=AES-128,URI="k1"
            #EXTINF:60,
            1.ts
            #EXT-X-KEY:METHOD=AES-128,URI="k2"
            #EXTINF:5.5,
            2.ts
            #EXT-X-DISCONTINUITY
            #EXT-X-KEY:METHOD=NONE
            #EXT-X-GAP
            #EXTINF:6,
            3.ts
            #EXT-X-ENDLIST
            """, base: "http://h/x/")
        #expect(lines.contains("Playlist list.m3u8"))
        #expect(lines.contains("Kind media playlist, on demand"))
        #expect(lines.contains("Duration 1m 11s (71.5 s)"))
        #expect(lines.contains("Segments 3 (media sequence 0 to 2)"))
        #expect(lines.contains("First http://h/x/1.ts"))
        #expect(lines.contains("Target duration 60 s"))
        #expect(lines.contains("Segment length 5.5 to 60 s"))
        #expect(lines.contains("Encryption AES-128 (identity), 2 keys, 2 segments"))
        #expect(lines.contains("Discontinuities 1"))
        #expect(lines.contains("Gaps 1 segment is unavailable"))
        #expect(lines.last == "No violations of RFC 8216bis found.")
    }

    @Test(arguments: [
        ("", "live"), ("#EXT-X-PLAYLIST-TYPE:EVENT", "live: an event, whose segments are never removed"),
        ("#EXT-X-PLAYLIST-TYPE:VOD", "on demand (but without EXT-X-ENDLIST)"), ("#EXT-X-ENDLIST", "on demand"),
    ])
    func reportsWhetherPlaylistIsLive(tag: String, words: String) throws {
        let lines = try report("#EXTM3U\n#EXT-X-TARGETDURATION:5\n\(tag)\n#EXTINF:5,\n1.ts\n")
        #expect(lines.contains("Kind media playlist, \(words)"))
    }

    @Test func reportOfLongPlaylistIsShort() throws {
        let segments = (0..<5000).map { "#EXTINF:2,\n\($0).ts\n" }.joined()
        let lines = try report("#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + segments)
        #expect(lines.contains("Segments 5000 (media sequence 0 to 4999)"))
        #expect(lines.contains("Last 4999.ts"))
        #expect(lines.count < 20)
    }

    @Test func listsVariantsAndRenditions() throws {
        let lines = try report(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,AUTOSELECT=YES,URI="en.m3u8"
            #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="CC",INSTREAM-ID="CC1"
            #EXT-X-STREAM-INF:BANDWIDTH=2559600,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,AUDIO="a"
            720.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=800000,CODECS="mp4a.40.2",AUDIO="a"
            audio.m3u8
            """)
        #expect(lines.contains("Kind multivariant playlist"))
        #expect(lines.contains("Variant streams 2"))
        #expect(lines.contains("Renditions 1 audio, 1 closed-captions"))
        #expect(lines.contains("BANDWIDTH RESOLUTION CODECS AUDIO VARIANT STREAM"))
        #expect(lines.contains("2560 kb/s 1280x720 avc1.64001f mp4a.40.2 a 720.m3u8"))
        #expect(lines.contains("audio a English default en.m3u8"))
        #expect(lines.contains("closed-captions c CC CC1 in the video"))
    }

    @Test func listsDiagnosticsWithLinesAndRules() throws {
        let lines = try report("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5\n1.ts\n#EXTINF:5\n2.ts\n")
        #expect(lines.contains("Findings: 2 errors"))
        #expect(lines.contains("5 error 4.4.4.1-comma No comma follows the duration."))
    }

    @Test func countsDiagnosticsBeyondLimit() throws {
        let segments = (0..<100).map { "#EXTINF:2\n\($0).ts\n" }.joined()
        let lines = try report("#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + segments)
        #expect(lines.contains("Findings: 100 errors"))
        #expect(lines.last == "… and 60 more.")
    }

    @Test func countsUnknownTags() throws {
        let lines = try report("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXT-A\n#EXTINF:5,\n1.ts\n#EXT-A\n#EXT-B:1\n")
        #expect(lines.contains("Other tags EXT-A × 2 (from line 3), EXT-B (line 7)"))
    }
}

extension InspectionReport {
    /// The headings, rows and notes as lines with single spaces between words.
    var lines: [String] {
        sections.flatMap { section -> [String] in
            let titles = section.columns.map(\.title).filter { !$0.isEmpty }
            let rows = (titles.isEmpty ? [] : [titles]) + section.rows
            let lines = [section.heading].compactMap(\.self) + rows.map { $0.joined(separator: " ") } + section.notes
            return lines.map { $0.split(separator: " ").joined(separator: " ") }
        }
    }
}
