import Testing

@testable import MediaCacheCLI

struct OutputTemplateTests {
    private let values = OutputTemplate.Values(
        title: "A film/../Part 2", suffix: "mp4", id: "abc", host: "example.org", index: 3)

    @Test(arguments: [
        ("%(title)s.%(ext)s", "A film_.._Part 2.mp4"), ("%(host)s/%(index)s-%(id)s.mkv", "example.org/3-abc.mkv"),
        ("/films/%(title)s", "/films/A film_.._Part 2"),
    ])
    func insertsValues(text: String, path: String) throws {
        #expect(try OutputTemplate(parsing: text)?.path(values) == path)
    }

    @Test func pathWithoutFieldsIsNoTemplate() throws {
        #expect(try OutputTemplate(parsing: "films/100%.mp4") == nil)
    }

    @Test(arguments: ["%(titel)s.mp4", "%(title).mp4", "%(title"])
    func rejectsUnknownFields(text: String) {
        #expect(throws: ArgumentTextError.self) { try OutputTemplate(parsing: text) }
    }
}
