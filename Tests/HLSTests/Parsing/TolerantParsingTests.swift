import HLS
import Testing

struct TolerantParsingTests {
    private func media(_ text: String) throws -> (playlist: MediaPlaylist, rules: [String]) {
        let parsed = try PlaylistParser().parse(text)
        return (try #require(parsed.playlist.media), parsed.diagnostics.map(\.rule.description))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func parsesAllLineEndings(_ end: String) throws {
        let text = ["#EXTM3U", "#EXT-X-TARGETDURATION:4", "#EXTINF:4,", "a.ts", "#EXT-X-ENDLIST"].joined(separator: end)
        let (playlist, rules) = try media(text)
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
        #expect(playlist.hasEndList)
        #expect(rules == (end == "\r" ? ["4.1-line-end"] : []))
    }

    /// RFC 8216bis §4.1 forbids these characters, but allows white space in a title or a comment.
    @Test(arguments: [
        ("#EXT-X-TARGETDURATION : 4", "4.1-whitespace"), ("#EXT-X-TARGETDURATION: 4", "4.1-whitespace"),
        (" #EXT-X-TARGETDURATION:4", "4.1-whitespace"), ("#EXT-X-TARGETDURATION:4 ", "4.1-whitespace"),
        ("#EXT-X-TARGETDURATION:4\n#EXTINF: 4,", "4.1-whitespace"),
        ("#EXT-X-TARGETDURATION:4\n#EXTINF:4 ,", "4.1-whitespace"),
        ("#EXT-X-TARGETDURATION:4\n#EXTINF: 4 ,", "4.1-whitespace"),
        ("#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n b", "4.1-whitespace"),
        ("#EXT-X-TARGETDURATION:4\n#EXT-X-OURS : 1", "4.1-whitespace"),
        ("#EXT-X-TARGETDURATION:4\u{0}", "4.1-control"), ("#EXT-X-TARGETDURATION:4\n# a\u{0}b", "4.1-control"),
        ("#EXT-X-TARGETDURATION:4\n\u{0}\u{0}", "4.1-control"),
        ("#EXT-X-TARGETDURATION:4\n#EXTINF:4,a\u{7F}b", "4.1-control"),
        ("#EXT-X-TARGETDURATION:4\n#EXTINF:4,é\u{85}", "4.1-control"),
        ("#EXT-X-TARGETDURATION:4\r# comment", "4.1-line-end"),
    ])
    func reportsForbiddenCharactersOncePerLine(_ lines: String, _ rule: String) throws {
        let text = "#EXTM3U\n\(lines)\n#EXTINF:4, A title \na.ts\n#EXT-X-ENDLIST\n# comment \n"
        let parsed = try PlaylistParser().parse(text)
        let playlist = try #require(parsed.playlist.media)
        #expect(playlist.targetDuration == 4)
        #expect(playlist.segments.last?.uri == "a.ts")
        #expect(playlist.segments.last?.duration == DecimalValue(4))
        let diagnostic = try #require(parsed.diagnostics.first { $0.rule.description == rule })
        #expect(diagnostic.severity == .error)
        #expect(diagnostic.line > 1)
        #expect(parsed.diagnostics.count { $0.rule.description == rule && $0.line == diagnostic.line } == 1)
        let error = #expect(throws: PlaylistError.self) { try PlaylistParser(isStrict: true).parse(text) }
        #expect(error?.line == diagnostic.line)
    }

    @Test(arguments: [
        ("#EXT-X-VERSION:7", "4.4.1.2-duplicate"), ("#EXT-X-INDEPENDENT-SEGMENTS", "4.4.2.1-duplicate"),
        ("#EXT-X-START:TIME-OFFSET=1", "4.4.2.2-duplicate"),
    ])
    func reportsDuplicateTagInBothKindsOfPlaylist(tag: String, rule: String) throws {
        for rest in ["#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n", "#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"] {
            let parsed = try PlaylistParser().parse("#EXTM3U\n\(tag)\n\(tag)\n\(rest)")
            #expect(parsed.diagnostics.filter { $0.rule.description == rule }.map(\.line) == [3])
        }
    }

    @Test func ignoresNULPadding() throws {
        let (playlist, rules) = try media("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n\u{0}\u{0}\u{0}")
        #expect(playlist.segments.map(\.uri) == ["a"])
        #expect(rules == ["4.1-control"])
    }

    @Test func rejectsBlankLinesBeforeHeaderWhenStrict() {
        let error = #expect(throws: PlaylistError.self) {
            try PlaylistParser(isStrict: true).parse("\n\n#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n")
        }
        #expect(error?.line == 3)
    }

    @Test func parsesByteOrderMarksAndLeadingBlankLines() throws {
        #expect(try media("\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n").rules == ["4.1-byte-order-mark"])
        #expect(try media("\n \n#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n").rules == ["4.4.1.1-first-line"])
    }

    @Test(arguments: [true, false])
    func parsesUTF16(_ isBigEndian: Bool) throws {
        let units = "\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,é\na\n".utf16
        let bytes = units.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        let parsed = try PlaylistParser().parse(bytes)
        #expect(parsed.playlist.media?.segments.map(\.title) == ["é"])
        #expect(parsed.diagnostics.map(\.rule.description) == ["4.1-encoding"])
    }

    @Test func parsesInvalidUTF8() throws {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\ncaf".utf8) + [0xE9] + Array(".ts\n".utf8)
        let parsed = try PlaylistParser().parse(bytes)
        #expect(parsed.playlist.media?.segments.map(\.uri) == ["caf%E9.ts"])
        #expect(parsed.diagnostics.map(\.rule.description) == ["4.1-encoding"])
        #expect(parsed.diagnostics.map(\.line) == [4])
    }

    @Test func parsesEXTINFWithoutCommaOrWithSpaces() throws {
        let (playlist, rules) = try media(
            "#EXTM3U\n#EXT-X-TARGETDURATION: 10\n#EXTINF: 9\na\n#EXTINF: 9 , A title \nb\n")
        #expect(playlist.segments.map(\.duration) == [DecimalValue(9), DecimalValue(9)])
        #expect(playlist.segments.map(\.title) == ["", "A title"])
        #expect(rules == ["4.1-whitespace", "4.1-whitespace", "4.4.4.1-comma", "4.1-whitespace"])
    }

    @Test func parsesInvalidTargetDurations() throws {
        #expect(try media("#EXTM3U\n#EXT-X-TARGETDURATION:8.2\n#EXTINF:8,\na\n").playlist.targetDuration == 9)
        let missing = try media("#EXTM3U\n#EXTINF:8,\na\n")
        #expect(missing.playlist.targetDuration == nil)
        #expect(missing.rules == ["4.4.3.1-missing"])
        #expect(
            try media("#EXTM3U\n#EXT-X-TARGETDURATION:x\n#EXTINF:8,\na\n").rules == [
                "4.4.3.1-value", "4.4.3.1-missing",
            ])
    }

    /// The value is valid, but clients can't reload a live playlist at intervals of 0 s.
    @Test func warnsOfTargetDurationOfZero() throws {
        let text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:0\n#EXTINF:0.4,\na\n"
        let parsed = try PlaylistParser(isStrict: true).parse(text)
        #expect(parsed.playlist.media?.targetDuration == 0)
        #expect(parsed.diagnostics.map(\.rule.description) == ["4.4.3.1-zero"])
        #expect(parsed.diagnostics.map(\.severity) == [.warning])
    }

    /// Only signed decimal numbers have signs (RFC 8216bis §4.2).
    @Test func reportsSignsOfNumbersWithoutSign() throws {
        let (playlist, rules) = try media("#EXTM3U\n#EXT-X-TARGETDURATION:+8\n#EXTINF:8,\na\n")
        #expect(playlist.targetDuration == 8)
        #expect(rules == ["4.4.3.1-value"])
        for resolution in ["+1280x+720", "1280x+720", "-1280x720"] {
            let line = "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=\(resolution)"
            let parsed = try PlaylistParser().parse("#EXTM3U\n\(line)\nlow.m3u8\n")
            let errors = parsed.diagnostics.filter { $0.severity == .error }
            #expect(errors.map(\.rule.description) == ["4.4.6.2-attribute"], "\(resolution)")
            #expect(parsed.playlist.multivariant?.variants.first?.resolution == nil)
        }
    }

    /// An unknown method doesn't violate the RFC. Clients must not attempt to decrypt the segments (§4.4.4.4).
    @Test(arguments: ["AES-256-GCM", "AES-256", "OTHER"])
    func warnsOfUnknownEncryptionMethod(_ method: String) throws {
        let key = "#EXT-X-KEY:METHOD=\(method),URI=\"k\""
        let text = "#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:4\n\(key)\n#EXTINF:4,\na.ts\n"
        let parsed = try PlaylistParser(isStrict: true).parse(text)
        let segment = try #require(parsed.playlist.media?.segments.first)
        #expect(segment.keys.map(\.method.rawValue) == [method])
        let diagnostic = try #require(parsed.diagnostics.first)
        #expect(parsed.diagnostics.count == 1 && diagnostic.severity == .warning && diagnostic.line == 4)
        #expect(diagnostic.rule.description == "4.4.4.4-method" && diagnostic.message.contains(method))
    }

    @Test func reportsSegmentLongerThanTargetDuration() throws {
        let (_, rules) = try media(
            "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:8\n#EXTINF:8.4,\na\n#EXTINF:8.5,\nb\n")
        #expect(rules == ["4.4.3.1-exceeded"])
    }

    @Test func preservesAttributesOfIPTVLists() throws {
        let text = "#EXTM3U\n#EXTINF:-1 tvg-id=\"a,b\" group=\"c\",Channel, One\nhttp://h/1\n"
        let (playlist, _) = try media(text)
        #expect(playlist.segments[0].title == "Channel, One")
        #expect(playlist.segments[0].tags == [.durationParameters("tvg-id=\"a,b\" group=\"c\"")])
        #expect(PlaylistWriter().text(.media(playlist)) == text)
    }

    @Test func parsesMalformedAttributeLists() throws {
        let text = "#EXTM3U\n#EXT-X-STREAM-INF: BANDWIDTH = 1280000.0 , CODECS=\"a, b\"x,,FLAG,NAME=\"open\nlow.m3u8\n"
        let parsed = try PlaylistParser().parse(text)
        let variant = try #require(parsed.playlist.multivariant?.variants.first)
        #expect(variant.bandwidth == 1_280_000)
        #expect(variant.codecs == ["a", "b"])
        #expect(variant.attributes.text("NAME") == "open")
        #expect(variant.attributes.text("FLAG")?.isEmpty == true)
        #expect(parsed.diagnostics.contains { $0.rule.description == "4.2-syntax" })
    }

    @Test func reportsLineOfDiagnostic() throws {
        let parsed = try PlaylistParser().parse("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\n# comment\n#EXTINF:abc\na\n")
        #expect(parsed.diagnostics.map(\.line) == [5])
        #expect(parsed.diagnostics.first?.severity == .error)
    }

    @Test func reportsNoDiagnosticsForValidPlaylists() throws {
        for sample in [SamplePlaylists.lowLatency, SamplePlaylists.delta, SamplePlaylists.iFrames] {
            #expect(try PlaylistParser(isStrict: true).parse(sample).diagnostics.isEmpty)
        }
        let context = PlaylistContext(playlistURL: "https://h/p.m3u8?token=1")
        #expect(
            try PlaylistParser(isStrict: true, context: context).parse(SamplePlaylists.multivariant).diagnostics.isEmpty
        )
    }
}
