import HLS
import Testing

struct PlaylistDocumentTests {
    @Test func parsesLines() {
        let document = PlaylistDocument(
            Array("#EXTM3U\n#EXT-X-VERSION:3\r\n#EXT-X-MAP:URI=\"m\"\r# note\n\nseg.ts".utf8))
        #expect(
            document.lines.map(\.content) == [
                .tag(name: "EXTM3U"), .value(name: "EXT-X-VERSION", "3"),
                .attributes(name: "EXT-X-MAP", ["URI": .quoted("m")]), .other(Array("# note".utf8)), .other([]),
                .uri("seg.ts"),
            ])
        #expect(
            document.lines.map(\.ending) == [
                .lineFeed, .carriageReturnLineFeed, .carriageReturn, .lineFeed, .lineFeed, .none,
            ])
    }

    @Test func changesOnlyEditedLine() {
        var document = PlaylistDocument(Array("\u{FEFF}#EXTM3U\r\n#EXT-X-ODD: A = 1\r\n#EXTINF:4,\r\na.ts\r\n".utf8))
        document.lines[3].content = .uri("b.ts")
        #expect(
            String(decoding: document.bytes, as: UTF8.self)
                == "\u{FEFF}#EXTM3U\r\n#EXT-X-ODD: A = 1\r\n#EXTINF:4,\r\nb.ts\r\n")
    }
}
