import Foundation
import HLS
import TestSupport
import Testing

struct DocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let catalog = tests.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/HLS/HLS.docc/HLS.md")

    @Test func catalogContainsCompiledExamples() throws {
        let text = try String(contentsOf: Self.catalog, encoding: .utf8)
        let snippets = try Snippets.of(Self.tests.appending(path: "DocumentationExamples.swift"))
        #expect(snippets.count == 5)
        for snippet in snippets { #expect(text.contains(snippet), "\(snippet)") }
        #expect(text.components(separatedBy: "```swift").count - 1 == snippets.count)
    }

    @Test func examplesReturnExpectedResults() throws {
        let body = Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nhttp://h/a.ts\n".utf8)
        #expect(try DocumentationExamples.read(body) == ["0 http://h/a.ts 4"])
        #expect(DocumentationExamples.write().hasPrefix("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"))
        #expect(
            String(decoding: DocumentationExamples.rewrite(body), as: UTF8.self).hasSuffix("/proxy?url=http://h/a.ts\n")
        )
        let followed = try DocumentationExamples.follow(body, body + Array("#EXTINF:4,\nhttp://h/b.ts\n".utf8))
        #expect(followed.0 == ["http://h/b.ts"])
        #expect(followed.1 == .seconds(4))
        let playlist = try PlaylistParser().parse(SamplePlaylists.multivariant).playlist.multivariant
        let selected = DocumentationExamples.select(try #require(playlist))
        #expect(selected.0 == "low.m3u8")
        #expect(selected.1 == "de.m3u8")
    }
}
