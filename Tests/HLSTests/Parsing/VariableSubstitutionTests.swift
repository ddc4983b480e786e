import HLS
import Testing

struct VariableSubstitutionTests {
    @Test func substitutesInURIsAndAttributes() throws {
        let text = """
            #EXTM3U
            #EXT-X-VERSION:8
            #EXT-X-DEFINE:NAME="h",VALUE="//host"
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="{$h}/key"
            #EXTINF:4,{$h}
            {$h}/a.ts
            """
        let parsed = try PlaylistParser(isStrict: true).parse(text)
        let segment = try #require(parsed.playlist.media?.segments.first)
        #expect(segment.uri == "//host/a.ts")
        #expect(segment.keys.map(\.uri) == ["//host/key"])
        #expect(segment.title == "{$h}")
        #expect(parsed.variables == ["h": "//host"])
    }

    @Test func importsFromMultivariantPlaylistAndQuery() throws {
        let text = "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"a\"\n#EXT-X-DEFINE:QUERYPARAM=\"q\"\n#EXTINF:4,\n{$a}/{$q}\n"
        let context = PlaylistContext(playlistURL: "http://h/?q=x%2Fy", importableVariables: ["a": "b"])
        let parsed = try PlaylistParser(context: context).parse(text)
        #expect(parsed.playlist.media?.segments.map(\.uri) == ["b/x/y"])
        let without = try PlaylistParser().parse(text)
        #expect(without.playlist.media?.segments.map(\.uri) == ["{$a}/{$q}"])
        #expect(
            without.diagnostics.map(\.rule.description).filter { $0.hasPrefix("4.4.2.3") || $0.hasPrefix("4.3") } == [
                "4.4.2.3-import", "4.4.2.3-query", "4.3-undefined", "4.3-undefined",
            ])
    }

    @Test func definesVariableAfterRejectedValue() throws {
        let text = "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"long\"\n#EXT-X-DEFINE:IMPORT=\"a\"\n#EXTINF:4,\n{$a}\n"
        let long = String(repeating: "x", count: 2 << 20)
        let context = PlaylistContext(importableVariables: ["long": long, "a": "b"])
        let parsed = try PlaylistParser(context: context).parse(text)
        #expect(parsed.playlist.media?.segments.map(\.uri) == ["b"])
        #expect(parsed.variables == ["a": "b"])
    }

    @Test func encodesLineEndingsInValues() throws {
        let context = PlaylistContext(importableVariables: ["a": "x\n#EXT-X-ENDLIST", "b": "#c"])
        let text =
            "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"a\"\n#EXT-X-DEFINE:IMPORT=\"b\"\n#EXTINF:4,\n{$a}\n#EXTINF:4,\n{$b}\n"
        let playlist = try PlaylistParser(context: context).parse(text).playlist
        #expect(playlist.media?.segments.map(\.uri) == ["x%0A#EXT-X-ENDLIST", "%23c"])
        let again = try PlaylistParser(context: context).parse(PlaylistWriter().bytes(playlist)).playlist
        #expect(again.media?.segments.map(\.uri) == playlist.media?.segments.map(\.uri))
    }
}
