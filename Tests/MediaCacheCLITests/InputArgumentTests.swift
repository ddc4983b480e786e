import MediaCache
import Testing

@testable import MediaCacheCLI

struct InputArgumentTests {
    @Test func parsesURLsFilesAndStandardInput() throws {
        #expect(try InputArgument(parsing: " https://h/a.m3u8\n") == .url(URLArgument.parse("https://h/a.m3u8")))
        #expect(try InputArgument(parsing: "-") == .standardInput)
        #expect(try InputArgument(parsing: "a b/c.m3u8") == .file("a b/c.m3u8"))
        #expect(try InputArgument(parsing: "file:///a%20b.m3u8") == .file("/a b.m3u8"))
        #expect(throws: ArgumentTextError.self) { try InputArgument(parsing: "ftp://h/a.m3u8") }
        #expect(throws: ArgumentTextError.self) { try InputArgument(parsing: "") }
    }
}
