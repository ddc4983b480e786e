import MediaCache
import Testing

@testable import MediaCacheCLI

struct OutputPathTests {
    @Test(arguments: [
        ("http://h/a/film.mp4?x=1", "film.mp4"), ("http://h/a/my%20film.mp4", "my film.mp4"), ("http://h/", "h"),
        ("http://h/..%2F..%2Fetc%2Fpasswd", "_.._etc_passwd"), ("http://h/%2e%2e", "h"), ("http://h/.hidden", "hidden"),
        ("http://h/a%00b%0A.mp4", "a_b_.mp4"), ("http://[::1]/", "1"),
    ])
    func createsSafeFileNames(url: String, name: String) throws {
        #expect(OutputPath.fileName(for: try ResourceURL(url)) == name)
    }

    @Test func preservesExtensionOfLongNames() throws {
        let url = try ResourceURL("http://h/" + String(repeating: "ä", count: 300) + ".mp4")
        let name = OutputPath.fileName(for: url)
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("ä.mp4"))
    }

    @Test func shortenedNameIsNotHidden() {
        let name = OutputPath.safeName("a" + String(repeating: ".", count: 5) + String(repeating: "b", count: 198))
        #expect(name == String(repeating: "b", count: 198))
    }

    @Test func appendsNameToFolder() throws {
        let url = try ResourceURL("http://h/film.mp4")
        let folder = try TestFolder()
        #expect(OutputPath.resolve(folder.path, for: url) == folder.file("film.mp4"))
        #expect(OutputPath.resolve(folder.file("new/"), for: url) == folder.file("new/film.mp4"))
        #expect(OutputPath.resolve(folder.file("other.mp4"), for: url) == folder.file("other.mp4"))
    }
}
