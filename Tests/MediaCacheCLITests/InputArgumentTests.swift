import MediaCache
import MediaCacheAPI
import Testing

@testable import MediaCacheCLI

struct InputArgumentTests {
    /// A name that no file has can be an ID or a title, unless it looks like a path.
    @Test func namesWithoutFileAreItems() throws {
        #expect(try InputArgument(parsing: "A film") == .item(.asset("A film")))
        #expect(try InputArgument(parsing: "17") == .item(.id(17)))
        #expect(try InputArgument(parsing: "S01.E02") == .item(.asset("S01.E02")))
        for path in ["film.mp4", "./A film", "/A film", "../A film", "~/A film"] {
            #expect(try InputArgument(parsing: path) == .file(path))
        }
        let folder = try TestFolder()
        #expect(try InputArgument(parsing: folder.path) == .file(folder.path))
    }

    @Test func parsesURLsFilesAndStandardInput() throws {
        #expect(try InputArgument(parsing: " https://h/a.m3u8\n") == .url(URLArgument.parse("https://h/a.m3u8")))
        #expect(try InputArgument(parsing: "-") == .standardInput)
        #expect(try InputArgument(parsing: "a b/c.m3u8") == .file("a b/c.m3u8"))
        #expect(try InputArgument(parsing: "file:///a%20b.m3u8") == .file("/a b.m3u8"))
        #expect(throws: ArgumentTextError.self) { try InputArgument(parsing: "ftp://h/a.m3u8") }
        #expect(throws: ArgumentTextError.self) { try InputArgument(parsing: "") }
    }
}
