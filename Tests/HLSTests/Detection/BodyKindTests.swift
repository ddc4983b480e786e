import HLS
import Testing

struct BodyKindTests {
    @Test func detectsPlaylistInUTF16() {
        let text = "\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
        #expect(BodyKind(of: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == .playlist(.media))
        #expect(BodyKind(of: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == .playlist(.media))
        #expect(BodyKind(of: [0xFF, 0xFE, 0x23] as [UInt8]) == .other(.text))
    }

    private func kind(_ text: String) -> BodyKind { BodyKind(of: text.utf8) }

    @Test func detectsKindOfPlaylist() {
        #expect(kind("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na\n") == .playlist(.media))
        #expect(kind("\u{FEFF}\r\n #EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na\n") == .playlist(.multivariant))
        #expect(kind("#EXTM3U\n#EXT-X-VERSION:3\n") == .playlist(nil))
        #expect(kind("#EXTINF:4,\na\n") == .playlist(.media))
        #expect(kind("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-STREAM-INF:BANDWIDTH=1\na") == .playlist(.multivariant))
        #expect(kind("#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=NONE\n#EXTINF:4,\na\n") == .playlist(.media))
    }

    @Test func detectsContentAfterManyBlankLines() {
        let blank = String(repeating: "\r\n ", count: 40_000)
        #expect(kind(blank + "#EXTM3U\n#EXTINF:4,\na\n") == .playlist(.media))
        #expect(kind("\u{FEFF}" + blank + "{}") == .other(.json))
        #expect(kind(blank) == .other(.empty))
        #expect(PlaylistError.notAPlaylist(.empty).description.contains("blank lines"))
    }

    @Test func detectsContentThatIsNotAPlaylist() {
        #expect(kind("") == .other(.empty))
        #expect(kind("\u{FEFF} \r\n") == .other(.empty))
        #expect(kind("<!DOCTYPE html><p>#EXTM3U") == .other(.html))
        #expect(kind("<?xml version='1.0'?><MPD/>") == .other(.xml))
        #expect(kind("\n{\"error\": 1}") == .other(.json))
        // Ciphertext can begin with any byte.
        #expect(kind("{\u{1}\u{2}\u{3}") == .other(.binary))
        #expect(kind("<\u{0}html") == .other(.binary))
        #expect(kind("WEBVTT\n") == .other(.webVTT))
        #expect(kind("Not found") == .other(.text))
        #expect(kind("see http://h/1 or\nhttp://h/2\n") == .other(.text))
        #expect(kind("http://h/1.mp3\r\n# two\r\n\r\nrtsp://h/2\r\n") == .other(.urlList))
        #expect(PlaylistError.notAPlaylist(.urlList).description.contains("a list of URLs without #EXTM3U"))
        #expect(BodyKind(of: [0x1F, 0x8B, 8]) == .other(.gzip))
        #expect(BodyKind(of: [0, 0, 0, 24] + Array("ftypmp42".utf8)) == .other(.mp4))
        #expect(BodyKind(of: [0x47] + [UInt8](repeating: 0, count: 187) + [0x47]) == .other(.transportStream))
        #expect(BodyKind(of: [0, 1, 2, 3]) == .other(.binary))
    }
}
