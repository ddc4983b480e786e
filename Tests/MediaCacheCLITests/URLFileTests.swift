import MediaCache
import Testing

@testable import MediaCacheCLI

struct URLFileTests {
    @Test func ignoresCommentsAndEmptyLines() throws {
        let urls = try URLFile.parse("# films\r\n\r\n  http://h/a.mp4  \n\t\nhttp://h/b.mp4#part\n#http://h/c.mp4")
        #expect(urls.map(\.description) == ["http://h/a.mp4", "http://h/b.mp4"])
    }

    @Test func errorContainsInvalidLine() {
        let error = #expect(throws: ArgumentTextError.self) { try URLFile.parse("http://h/a\n\nftp://h/b\n") }
        #expect(error?.description.hasPrefix("line 3: ") == true)
    }

    @Test func errorContainsPathOfMissingFile() {
        let error = #expect(throws: CommandFailure.self) { try URLFile.read("/nowhere/urls.txt") }
        #expect(error?.message.contains("/nowhere/urls.txt") == true && error?.exitCode == 1)
    }
}
