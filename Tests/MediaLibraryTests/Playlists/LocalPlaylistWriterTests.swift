import HLS
import Testing

@testable import MediaLibrary

/// Tests that the playlists of assets and recordings contain no foreign references.
struct LocalPlaylistWriterTests {
    private func written(_ text: String) throws -> String {
        LocalPlaylistWriter.text(of: try PlaylistParser().parse(Array(text.utf8)).playlist)
    }

    private func media(_ lines: String...) throws -> String {
        try written("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n")
    }

    @Test func keepsLocalReferences() throws {
        let text = try media(
            "#EXT-X-KEY:METHOD=AES-128,URI=\"../keys/key-1.key.ts\"", "#EXT-X-MAP:URI=\"init-1.mp4\"", "#EXTINF:4,One",
            "000001.m4s")
        for expected in ["URI=\"../keys/key-1.key.ts\"", "URI=\"init-1.mp4\"", "#EXTINF:4,One\n000001.m4s\n"] {
            #expect(text.contains(expected), "\(text)")
        }
    }

    @Test(arguments: ["skd://k.example/1", "data:text/plain;base64,AA==", "urn:uuid:1"])
    func keepsKeysOfDRMSystems(_ uri: String) throws {
        let text = try media(
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"\(uri)\",KEYFORMAT=\"com.example\"", "#EXTINF:4,", "1.ts")
        #expect(text.contains("URI=\"\(uri)\""), "\(text)")
    }

    /// ffmpeg requests a key by its URI whatever KEYFORMAT is, and opens media in data URLs.
    @Test(arguments: [
        "http://10.0.0.1/x", "//10.0.0.1/x", "/x", "file:///etc/passwd", #"\\10.0.0.1\x"#, "{$v}x",
        "ht\ttp://10.0.0.1/x",
        "\u{a0}//10.0.0.1/x", "\u{1}//10.0.0.1/x",
    ])
    func replacesForeignReferences(_ uri: String) throws {
        let text = try media(
            "#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\",KEYFORMAT=\"com.example\"", "#EXT-X-MAP:URI=\"\(uri)\"",
            "#EXTINF:4,", uri)
        #expect(!text.contains("10.0.0.1") && !text.contains("passwd") && !text.contains("{$"), "\(text)")
        #expect(PlaylistReferences().all(in: Array(text.utf8)).map(\.uri) == ["data:,", "data:,", "data:,"], "\(text)")
        let map = try media("#EXT-X-MAP:URI=\"data:video/mp4;base64,AA==\"", "#EXTINF:4,", "1.m4s")
        #expect(map.contains("URI=\"data:,\""), "\(map)")
    }

    /// Some players end a line at these characters.
    @Test(arguments: ["\0", "\u{b}", "\u{c}", "\u{1c}", "\u{85}", "\u{2028}", "\u{2029}"])
    func removesCharactersThatEndLines(_ end: String) throws {
        let text = try media("#EXTINF:4,title\(end)//10.0.0.1/t.ts", "#EXT-X-NEW:a\(end)//10.0.0.1/u.ts", "1.ts")
        #expect(!text.contains(end), "\(text.debugDescription)")
        #expect(text.contains("#EXTINF:4,title//10.0.0.1/t.ts\n"), "\(text.debugDescription)")
    }
}
