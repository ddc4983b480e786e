import Foundation
import HLS
import Testing

struct PlaylistReferencesTests {
    private func uris(_ text: String, context: PlaylistContext = PlaylistContext()) -> [String] {
        PlaylistReferences(context: context).all(in: Array(text.utf8)).map { "\($0.role) \($0.uri)" }
    }

    @Test func findsReferencesInEveryRole() {
        let text = """
            #EXTM3U
            #EXT-X-KEY:METHOD=AES-128,URI="k"
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="sk"
            #EXT-X-MAP:URI="m",BYTERANGE="1@0"
            #EXT-X-MEDIA:TYPE=AUDIO,URI="r",GROUP-ID="g",NAME="n"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            # a comment between
            v
            #EXT-X-PART:DURATION=1,URI="p"
            #EXTINF:1,
            s
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="h"
            #EXT-X-RENDITION-REPORT:URI="rr"
            #EXT-X-SESSION-DATA:DATA-ID="d",URI="sd"
            #EXT-X-CONTENT-STEERING:SERVER-URI="cs",PATHWAY-ID="p"
            #EXT-X-DATERANGE:ID="x",URI="no",X-ASSET-URI="a",X-ASSET-LIST="al"
            #EXT-X-IMAGE-STREAM-INF:URI="o"
            """
        #expect(
            uris(text) == [
                "key k", "sessionKey sk", "initializationSection m", "rendition r", "iFramePlaylist i",
                "variantStream v", "partialSegment p", "mediaSegment s", "preloadHint h", "renditionReport rr",
                "sessionData sd", "steeringManifest cs", "interstitialAsset a", "interstitialAssetList al",
                "other(tag: \"EXT-X-IMAGE-STREAM-INF\") o",
            ])
    }

    @Test func reportsPositionOfReference() throws {
        let text = "\u{FEFF}#EXTM3U\r\n#EXT-X-KEY:METHOD=AES-128, URI=\"key\" \r\n  seg.ts \r\n"
        let references = PlaylistReferences().all(in: Array(text.utf8))
        try #require(references.count == 2)
        #expect(references.map(\.line) == [2, 3])
        #expect(references.map { String(decoding: Array(text.utf8)[$0.bytes], as: UTF8.self) } == ["key", "seg.ts"])
        #expect(references[0].attribute == "URI")
        #expect(references[1].attribute == nil)
    }

    @Test func preservesAllOtherBytes() {
        var bytes = Array("\u{FEFF}#EXTM3U\r#EXT-X-FOO:\u{B},,=\n\n# comment \r\n".utf8)
        bytes += [0x23, 0xFF, 0xFE, 0x0A, 0xE9, 0x2E, 0x74, 0x73]
        let sent = bytes.filter { $0 != 0x0B }
        #expect(PlaylistReferences().rewritten(bytes) { _ in nil } == sent)
        #expect(PlaylistReferences().rewritten(bytes) { $0.uri == "%E9.ts" ? "x" : nil } == sent.dropLast(4) + [0x78])
    }

    @Test func removesSeparatorsThatSomePlayersTreatAsLineEndings() {
        let text = "#EXTM3U\n#EXTINF:4,a\0b\u{B}\u{C}\u{85}c\u{2028}\u{2029}\tÅ…\nx\u{1F}y.ts\n"
        let sent = PlaylistReferences().rewritten(Array(text.utf8)) { $0.uri == "xy.ts" ? "/p/xy.ts" : nil }
        #expect(String(decoding: sent, as: UTF8.self) == "#EXTM3U\n#EXTINF:4,abc\tÅ…\n/p/xy.ts\n")
        // A separator that appears when a control character is removed is removed too.
        let joined: [UInt8] = [0x23, 0xE2, 0x00, 0x80, 0x01, 0xA8, 0x0A]
        #expect(PlaylistReferences().rewritten(joined) { _ in nil } == [0x23, 0x0A])
        // Line separators in a replacement URI are percent-encoded.
        let uri = "/p/\0\u{2028}\r\"x"
        let replaced = PlaylistReferences().rewritten(Array("#EXTM3U\nx\n".utf8)) { _ in uri }
        #expect(String(decoding: replaced, as: UTF8.self) == "#EXTM3U\n/p/%00%E2%80%A8%0D%22x\n")
    }

    /// hls.js reads the text after the duration as a URI if the comma, or the line ending after the title, is missing.
    @Test func replacesURLsInEXTINF() throws {
        let pattern = #"#EXTINF:\s*(\d*(?:\.\d+)?)(?:,(.*)\s+)?|(?!#) *(\S[^\r\n]*)|#.*"#
        let regex = try NSRegularExpression(pattern: pattern)
        for line in [
            "#EXTINF:4 http://10.0.0.1/x", "#EXTINF:http://10.0.0.1/x", "#EXTINF:4.5\thttp://10.0.0.1/x",
            "#EXTINF:4;http://10.0.0.1/x", "#EXTINF: //10.0.0.1/x", "#EXTINF:4 /\t/10.0.0.1/x",
            "#EXTINF:4\u{A0}//10.0.0.1/x", "#EXTINF:4 ht\ttp://10.0.0.1/x", "#EXTINF:4 /\\10.0.0.1/x",
            "#EXTINF:4 \\\\10.0.0.1/x",
            "#EXTINF:4,a title http://10.0.0.1/x", "#EXTINF:4,\u{2028}http://10.0.0.1/x",
        ] {
            for text in ["#EXTM3U\n\(line)\na.ts\n", "#EXTM3U\n\(line)"] {
                let sent = PlaylistReferences().rewritten(Array(text.utf8)) { _ in "safe" }
                let output = String(decoding: sent, as: UTF8.self)
                for match in regex.matches(in: output, range: NSRange(output.startIndex..., in: output)) {
                    guard let range = Range(match.range(at: 3), in: output) else { continue }
                    let uri = String(output[range])
                    let form = URLReference.form(of: uri.replacing("\t", with: "").replacing("\\", with: "/"))
                    #expect(form == .relativePath, "\(text.debugDescription): \(uri)")
                }
            }
        }
        let plain = """
            #EXTM3U
            #EXTINF:4.5,http://h/title
            a
            #EXTINF:-1 tvg-id="x" tvg-logo="http://h/l",T
            b
            #EXTINF:6
            c
            """
        #expect(PlaylistReferences().all(in: Array(plain.utf8)).map(\.uri) == ["a", "b", "c"])
    }

    @Test func replacesReferences() {
        let text = "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"/k\",IV=0x1\n#EXTINF:1,\n//h/s.ts\nrel.ts\n"
        let result = PlaylistReferences().rewritten(Array(text.utf8)) { reference in
            URLReference(reference.uri).form == .relativePath ? nil : "/p/" + reference.uri
        }
        #expect(
            String(decoding: result, as: UTF8.self)
                == "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"/p//k\",IV=0x1\n#EXTINF:1,\n/p///h/s.ts\nrel.ts\n")
    }

    @Test func quotesReplacedURIs() {
        let result = PlaylistReferences().rewritten(Array("#EXT-X-MAP:URI=m.mp4,X=1".utf8)) { _ in "a,\"b" }
        #expect(String(decoding: result, as: UTF8.self) == "#EXT-X-MAP:URI=\"a,%22b\",X=1")
    }

    @Test func substitutesVariables() {
        let text = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="host",VALUE="//h"
            #EXT-X-DEFINE:NAME="both",VALUE="{$host}/x"
            #EXT-X-DEFINE:IMPORT="imported"
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXT-X-MAP:URI="{$both}/m?{$token}"
            #EXTINF:1,
            {$imported}/{$missing}/s.ts
            """
        let context = PlaylistContext(
            playlistURL: "https://o/p.m3u8?a=1&token=a%2Fb", importableVariables: ["imported": "//i"])
        #expect(
            uris(text, context: context) == [
                "initializationSection //h/x/m?a/b", "mediaSegment //i/{$missing}/s.ts",
            ])
    }

    @Test func limitsGrowthByVariables() {
        var text = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"0123456789\"\n"
        for index in 1...30 {
            let value = String(repeating: "{$v\(index - 1)}", count: 10)
            text += "#EXT-X-DEFINE:NAME=\"v\(index)\",VALUE=\"\(value)\"\n"
        }
        text += "{$v30}\n"
        let references = PlaylistReferences().all(in: Array(text.utf8))
        // The value of v29 is too long.
        #expect(references.map(\.uri) == [String(repeating: "{$v29}", count: 10)])
    }
}
