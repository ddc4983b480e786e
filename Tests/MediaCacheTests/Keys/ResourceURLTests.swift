import MediaCache
import Testing

struct ResourceURLTests {
    @Test(arguments: [
        ("http://a.example", "http://a.example/"), ("HTTP://A.Example:80/X?y#z", "http://a.example/X?y"),
        ("https://a.example:443/", "https://a.example/"), ("http://a.example:443/", "http://a.example:443/"),
        (" \n\thttp://a.example/x\u{00A0}\r\n", "http://a.example/x"), ("http://a.example?q", "http://a.example/?q"),
        ("http://a.example/a%2Fb/%c3?x=%zz&&", "http://a.example/a%2Fb/%c3?x=%zz&&"),
        ("http://a.example/ä b\u{7}c", "http://a.example/%C3%A4%20b%07c"),
        ("http://u:p@a.example/", "http://a.example/"), ("http://[::1]/x", "http://[::1]/x"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/x"), ("http://[::1]:80", "http://[::1]/"),
        ("http://[fe80::1%25eth0]:81/", "http://[fe80::1%25eth0]:81/"), ("http://a.example:/x", "http://a.example/x"),
        ("http://a.example/../x", "http://a.example/../x"), ("http://127.0.0.1:9479/", "http://127.0.0.1:9479/"),
    ])
    func preservesURLByteForByte(_ text: String, _ expected: String) throws {
        #expect(try ResourceURL(text).description == expected)
    }

    @Test(arguments: [
        "", "film.mp4", "/film.mp4", "//a/b", "ftp://a/b", "file:///x", "http:a/b", "http://", "http:///x",
        "http://a:b/", "http://a:0/", "http://a:65536/", "http://a:+80/", "http://a:-1/", "http://[::1/", "http://::1/",
        "http://a b/", "http://a\\b/", "http://[]/", "http://a[0]/", "http://a\u{0}b/", "1http://a/", "rtsp://a/b",
    ])
    func refusesInvalidURLWithReason(_ text: String) {
        let error = #expect(throws: CacheError.self) { try ResourceURL(text) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.isEmpty == false)
    }

    @Test func errorContainsUnsupportedScheme() {
        #expect(#expect(throws: CacheError.self) { try ResourceURL("rtsp://a/b") }?.message.contains("rtsp") == true)
    }

    /// The examples of RFC 3986 §5.4 without scheme and authority, whose fragments are removed, and a reference with a
    /// space.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
        ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
        ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"),
        ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
        ("g?y/../x", "/b/c/g?y/../x"), ("g#s/../x", "/b/c/g"), ("a b", "/b/c/a%20b"),
    ])
    func resolvesReferences(_ reference: String, _ target: String) throws {
        let base = try ResourceURL("http://a/b/c/d;p?q")
        #expect(try base.resolve(reference).description == "http://a" + target)
    }

    @Test(arguments: [("//g", "http://g/"), ("//g:81/x", "http://g:81/x"), ("https://h/x?y", "https://h/x?y")])
    func resolvesReferencesWithAuthority(_ reference: String, _ expected: String) throws {
        let base = try ResourceURL("http://user@a/b/c/d;p?q")
        let url = try base.resolve(reference)
        #expect(url.description == expected)
        #expect(url.userInfo == nil)
        #expect(try base.resolve("x").userInfo == "user")
    }

    /// Players normalize these references before they send the request.
    @Test(arguments: [
        ("http://h/a/../b/./c?d/../e", "http://h/b/c?d/../e"), ("//h/../x", "http://h/x"),
        ("http://h/.a", "http://h/.a"),
    ])
    func removesDotSegmentsOfReferencesWithHost(_ reference: String, _ expected: String) throws {
        #expect(try ResourceURL("http://a/b/c").resolve(reference).description == expected)
    }

    /// References that violate RFC 3986 or that browsers resolve differently (WHATWG URL §4.4).
    @Test(arguments: [
        (#"\\h\x"#, "http://h/x"), (#"/\h/x"#, "http://h/x"), ("///h/x", "http://h/x"), ("////h", "http://h/"),
        ("http:///h/x", "http://h/x"), (#"http:\\h\x?y\z"#, #"http://h/x?y\z"#), ("https:h/x", "https://h/x"),
        (#"http://h\x"#, "http://h/x"), (#"http://u\@h/x"#, "http://u/@h/x"), ("http:x", "http://a/b/c/x"),
        ("http:?q", "http://a/b/c/d?q"), ("http:", "http://a/b/c/d"), ("http:x:y", "http://a/b/c/x:y"),
        ("http:/x", "http://a/x"), ("/\t/h/x", "http://h/x"), ("ht\ntp://h/x", "http://h/x"),
        ("\u{1}//h/x", "http://h/x"), ("%2e%2e/x", "http://a/b/x"), (".%2E/%2e./x", "http://a/x"),
        ("x/%2e/y", "http://a/b/c/x/y"), ("/%2e%2e/%2e%2e/x", "http://a/x"), (#"..\..\..\x"#, "http://a/x"),
        ("x%2e%2ey/%2e%2e%2e", "http://a/b/c/x%2e%2ey/%2e%2e%2e"), ("x?%2e%2e/y#z", "http://a/b/c/x?%2e%2e/y"),
        ("//%2e%2e/x", "http://%2e%2e/x"),
    ])
    func resolvesInvalidReferencesLikeBrowsers(_ reference: String, _ expected: String) throws {
        #expect(try ResourceURL("http://a/b/c/d").resolve(reference).description == expected)
    }

    @Test(arguments: [
        "//", #"\\"#, "http:///", "https:", "http://[/x", "///?x", "http://h:99999/x", "g:h", "javascript:alert(1)",
        "data:,x",
    ])
    func refusesReferencesWithoutHostOrWithOtherSchemes(_ reference: String) throws {
        let base = try ResourceURL("http://a/b/c/d;p?q")
        #expect(throws: CacheError.self) { try base.resolve(reference) }
    }

    @Test(arguments: [
        "bob:secret@a/x", "http:bob:secret@a/x", "http://bob:sec/ret@a/x", "http://bob:secret@a b/",
        "ftp://bob:secret@a/", "http://bob:secret@a:99999/", "http://bob:secret@/x",
    ])
    func redactsPasswordsInErrors(_ text: String) throws {
        let error = #expect(throws: CacheError.self) { try ResourceURL(text) }
        #expect(error?.description.contains("sec") == false)
    }

    @Test(arguments: [("/a/b.MP4", "mp4"), ("/a.b/c", ""), ("/.hidden", ""), ("/a.tar.gz?x.y", "gz"), ("/", "")])
    func returnsExtensionOfPath(_ target: String, _ expected: String) throws {
        #expect(try ResourceURL("http://a" + target).pathExtension == expected)
    }

    @Test func refusesLongURL() throws {
        let path = String(repeating: "p", count: 16_000)
        let base = try ResourceURL("http://a/\(path)/b")
        for reference in [path, "/\(path)\(path)", "?\(path)", "http://b/\(path)\(path)"] {
            let error = #expect(throws: CacheError.self) { try base.resolve(reference) }
            #expect(error?.code == .invalidURL)
        }
        #expect(try base.resolve("c").target == "/\(path)/c")
    }
}
