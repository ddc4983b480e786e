import HLS
import Testing

/// Attribute lists that players split differently.
struct AmbiguousAttributeTests {
    private func rewritten(_ line: String) -> String {
        let sent = PlaylistReferences().rewritten(Array("#EXTM3U\n\(line)\nend.ts\n".utf8)) { reference in
            reference.form == .relativePath ? nil : "/play"
        }
        return String(decoding: sent.dropFirst("#EXTM3U\n".utf8.count).dropLast("\nend.ts\n".utf8.count), as: UTF8.self)
    }

    @Test(arguments: [
        // FFmpeg starts a new attribute after a space.
        (#"#EXT-X-KEY:METHOD=AES-128 URI="http://h/k""#, "#EXT-X-KEY:METHOD=AES-128 "),
        (#"#EXT-X-MAP:URI=a.mp4 URI=http://h/m"#, #"#EXT-X-MAP:URI=a.mp4 "#),
        (#"#EXT-X-MEDIA:URI = "a,X=b URI=http://h/m""#, #"#EXT-X-MEDIA:URI = "a,X=b "#),
        // FFmpeg also starts a new attribute after a closing quote.
        (#"#EXT-X-MEDIA:TYPE=AUDIO,NAME="a"URI="http://h/m",GROUP-ID="g""#, #"#EXT-X-MEDIA:TYPE=AUDIO,NAME="a""#),
        (#"#EXT-X-MAP:URI="//h/m"URI="http://h/m""#, #"#EXT-X-MAP:URI="/play""#),
        (#"#EXT-X-MEDIA:NAME="x"y,CODECS=",URI=http://h/m,""#, #"#EXT-X-MEDIA:NAME="x"y,CODECS=","#),
        // FFmpeg and VLC treat a backslash as an escape character.
        (#"#EXT-X-MEDIA:NAME="a\",CODECS="URI=http://h/m,""#, #"#EXT-X-MEDIA:NAME="a\",CODECS=""#),
        (#"#EXT-X-KEY:IV="\\",X="URI=//h/k,""#, #"#EXT-X-KEY:IV="\\",X=""#),
        // Media3 matches names by their end, and hls.js ignores Unicode white space.
        (#"#EXT-X-KEY:METHOD=AES-128,X-URI="http://h/k""#, #"#EXT-X-KEY:METHOD=AES-128,X-URI="/play""#),
        ("#EXT-X-MAP:\u{A0}URI=\"http://h/m\"", "#EXT-X-MAP:\u{A0}URI=\"/play\""),
        ("#EXT-X-MAP:URI\u{A0}=\"http://h/m\"", "#EXT-X-MAP:"),
        ("#EXT-X-MAP:URI=\"\u{3000}http://h/m\"", "#EXT-X-MAP:URI=\"/play\""),
        ("\u{FEFF}\u{A0}http://h/s.ts", "/play"),
        ("\u{A0}#EXTINF:4 http://h/s.ts", ""),
        // hls.js recognizes a rendition tag in the middle of any line.
        (#"# a comment #EXT-X-MEDIA:TYPE=AUDIO,URI="http://h/m""#, "# a comment #EXT-X-MEDIA:TYPE=AUDIO,"),
        (#"#EXTINF:4,#EXT-X-MEDIA:URI="http://h/m""#, "#EXTINF:4,#EXT-X-MEDIA:"),
        (##"#EXT-X-START:VALUE="#EXT-X-MEDIA:N=1,URI=//h/m,""##, ##"#EXT-X-START:VALUE="#EXT-X-MEDIA:N=1,"##),
        (##"#EXT-X-DATERANGE:ID="#EXT-X-MEDIA:URI=//h/m""##, ##"#EXT-X-DATERANGE:ID="#EXT-X-MEDIA:"##),
        (#"s.ts?#EXT-X-MEDIA:TYPE=AUDIO,URI="http://h/m""#, "s.ts?"),
        // The regular expressions of Python parsers skip lower-case names.
        (#"#EXT-X-MEDIA:name="a,URI=http://h/m,""#, #"#EXT-X-MEDIA:name="a,"#),
        // A URI attribute is rewritten even in a tag that doesn't define one.
        (#"#EXT-X-STREAM-INF:BANDWIDTH=1,URI="http://h/m""#, #"#EXT-X-STREAM-INF:BANDWIDTH=1,URI="/play""#),
    ])
    func truncatesLinesBeforeAmbiguousReferences(_ line: String, _ expected: String) {
        #expect(rewritten(line) == expected)
        #expect(rewritten(expected) == expected)
    }

    @Test(arguments: [
        #"#EXT-X-KEY:METHOD=AES-128, URI="key" ,IV=0x1"#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,NAME="English, URI=none",URI="a.m3u8?returnURI=http://h/""#,
        #"#EXT-X-MAP:URI="a\b.mp4""#,
        #"#EXT-X-DATERANGE:ID="1",X-COM-EXAMPLE-URI="http://h/""#,
        #"#EXTINF:-1 tvg-id="a" tvg-logo="http://h/l.png",A title = x"#,
        "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z", "# a comment = x", "seg.ts#t=1", "seg.ts?URI=http://h/",
    ])
    func preservesUnambiguousLines(_ line: String) {
        #expect(rewritten(line) == line)
    }

    @Test func rewritesLongLinesInLinearTime() {
        let line = "#EXT-X-MEDIA:" + String(repeating: "A=\"URI=\",", count: 100_000) + "URI=\"http://h/m\""
        #expect(rewritten(line).hasSuffix(",URI=\"/play\""))
        let blanks = "#EXT-X-MEDIA:" + String(repeating: "A =  \u{A0}", count: 100_000) + "URI=\"http://h/m\""
        #expect(!rewritten(blanks).contains("http:"))
    }
}
