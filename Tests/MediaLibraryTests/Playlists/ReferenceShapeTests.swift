import MediaLibrary
import Testing

struct ReferenceShapeTests {
    @Test(arguments: ["a.ts", "a/b.ts?c=d:e", "a.ts?x=/../y", "1-2.ts", "a%20b.ts"])
    func recognizesRelativePaths(_ uri: String) {
        // A dot after a slash is taken for a dot segment, even in a query.
        let expected: ReferenceShape = uri.contains("/.") ? .other : .relativePath
        #expect(ReferenceShape(uri) == expected)
    }

    @Test(arguments: ["/a.ts", "/a//b.ts", "/?q"])
    func recognizesRootRelativeReferences(_ uri: String) { #expect(ReferenceShape(uri) == .rootRelative) }

    @Test(arguments: [
        ("http://h/a", 8), ("https://cdn-1.example/a/b?c", 21), ("http://127.0.0.1:8080/", 21),
        ("http://h:65535/", 14),
    ])
    func recognizesAbsoluteReferences(_ uri: String, _ end: Int) {
        #expect(ReferenceShape(uri) == .absolute(authorityEnd: end))
    }

    /// References that can't be resolved by joining strings, for example because normalization may change them.
    @Test(arguments: [
        "", "?q", "#f", "a#f", "./a", "../a", "a/../b", "a/./b", "//h/a", "http:a", "HTTP://h/a", "http://H/a",
        "http://h:80/a", "http://h:443/a", "http://h:0080/a", "http://h:65536/a", "http://h:/a", "http://u@h/a",
        "http://[::1]/a",
        "http://h",
        "http://h?q", "ftp://h/a", "data:,a", "skd://k", "a b", "a\tb", "\u{E9}.ts", "{$v}.ts", "a\\b", "a:b",
        "\\\\h\\a", "///h/a", "http:///h/a", "%2e%2e/a", "/a/%2E%2e/b", "a/.%2e/b", "a/%2e",
    ])
    func recognizesOtherReferences(_ uri: String) { #expect(ReferenceShape(uri) == .other) }
}
