import HLS
import Testing

struct URLReferenceTests {
    static let base = "http://a/b/c/d;p?q"

    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ])
    func resolvesNormalExamplesOfRFC3986(_ reference: String, _ target: String) {
        #expect(URLReference.resolve(reference, against: Self.base) == target)
    }

    @Test(arguments: [
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func resolvesAbnormalExamplesOfRFC3986(_ reference: String, _ target: String) {
        #expect(URLReference.resolve(reference, against: Self.base) == target)
    }

    @Test(arguments: [
        ("a b.ts", "http://host/live/a b.ts"), ("é.ts", "http://host/live/é.ts"), ("%zz.ts", "http://host/live/%zz.ts"),
        (" seg.ts\t", "http://host/live/seg.ts"), ("a//b.ts", "http://host/live/a//b.ts"),
        ("2020-01-01T10:00:00.ts", "http://host/live/2020-01-01T10:00:00.ts"),
        ("//[::1]:8080/x", "http://[::1]:8080/x"),
    ])
    func preservesUnusualCharacters(_ reference: String, _ target: String) {
        #expect(URLReference.resolve(reference, against: "http://host/live/index.m3u8?token=a/b") == target)
    }

    @Test func mergesWithEmptyBasePath() {
        #expect(URLReference.resolve("x.ts", against: "http://host") == "http://host/x.ts")
    }

    @Test func determinesFormOfReference() {
        #expect(URLReference("http://h/p").form == .absolute)
        #expect(URLReference("//h/p").form == .networkPath)
        #expect(URLReference("/p").form == .rootRelative)
        #expect(URLReference("../p").form == .relativePath)
    }

    @Test func recomposesComponents() {
        for text in ["", "?", "#", "a:", "//", "http://u:p@h:80/p/a?q?#f#", "mailto:a@b", "/a?b", "a?b#c"] {
            #expect(URLReference(text).description == text)
        }
    }
}
