import HLS
import Testing

struct ParserErrorTests {
    private static let body = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXTINF:4,\nb.ts\n"

    @Test func rejectsContentThatIsNotAPlaylist() {
        for (text, content) in [
            ("", OtherContent.empty), ("<html>login</html>", .html), ("{\"a\":1}", .json), ("Not Found", .text),
        ] {
            #expect(throws: PlaylistError.notAPlaylist(content)) { try PlaylistParser().parse(text) }
        }
    }

    @Test func throwsFirstErrorWhenStrict() {
        let parser = PlaylistParser(isStrict: true)
        let error = #expect(throws: PlaylistError.self) { try parser.parse("#EXTM3U\n#EXTINF:x,\na\n") }
        #expect(error?.line == 2)
        #expect(throws: Never.self) { try parser.parse(Self.body) }
    }

    @Test func decompressesWithGivenInflater() throws {
        let compressed: [UInt8] = [0x1F, 0x8B, 1, 2, 3]
        #expect(throws: PlaylistError.notInflated) { try PlaylistParser().parse(compressed) }
        let parser = PlaylistParser { bytes, limit in
            #expect(bytes == compressed)
            #expect(limit == 64 * 1024 * 1024)
            return Array(Self.body.utf8)
        }
        let parsed = try parser.parse(compressed)
        #expect(parsed.playlist.media?.segments.count == 2)
        #expect(parsed.diagnostics.map(\.rule.description) == ["4-compressed"])
        #expect(throws: PlaylistError.notInflated) {
            try PlaylistParser(inflate: { _, _ in throw CancellationError() }).parse(compressed)
        }
        #expect(throws: PlaylistError.playlistTooLong(limit: 64 * 1024 * 1024)) {
            try PlaylistParser(inflate: { throw PlaylistError.playlistTooLong(limit: $1) }).parse(compressed)
        }
    }

    @Test func enforcesLimits() {
        var parser = PlaylistParser()
        parser.limits.playlistLength = 20
        #expect(throws: PlaylistError.playlistTooLong(limit: 20)) { try parser.parse(Self.body) }
        parser = PlaylistParser()
        parser.limits.lineLength = 20
        #expect(throws: PlaylistError.lineTooLong(line: 2, limit: 20)) { try parser.parse(Self.body) }
        parser = PlaylistParser()
        parser.limits.entries = 2
        #expect(throws: PlaylistError.tooManyTags(line: 6, limit: 2)) { try parser.parse(Self.body) }
    }

    @Test func countsDiagnosticsBeyondLimit() throws {
        var parser = PlaylistParser()
        parser.limits.diagnostics = 3
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n" + String(repeating: "a.ts\n", count: 10)
        let parsed = try parser.parse(text)
        #expect(parsed.diagnostics.count == 3)
        #expect(parsed.droppedDiagnostics == 7)
    }

    @Test func describesErrors() {
        #expect(PlaylistError.lineTooLong(line: 3, limit: 9).description == "Line 3 is longer than 9 bytes.")
        #expect(PlaylistError.notAPlaylist(.html).description == "The body isn't a playlist; it is HTML.")
    }

    @Test func errorOfWholePlaylistHasNoLine() {
        let error = #expect(throws: PlaylistError.self) {
            try PlaylistParser(isStrict: true).parse("#EXTM3U\n#EXTINF:4,\na\n#EXT-X-ENDLIST\n")
        }
        #expect(error != nil && error?.line == nil)
        #expect(error?.description.hasPrefix("error [4.4.3.1-") == true)
    }
}
