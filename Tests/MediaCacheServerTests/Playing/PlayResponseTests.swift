import MediaCache
import MediaCacheAPI
import NIOEmbedded
import Synchronization
import Testing

@testable import MediaCacheServer

struct PlayResponseTests {
    private static let media = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private func call(_ source: FakeSource, _ request: String) throws -> RawResponse {
        let channel = try TestServer.connect(TestServer.context(source))
        return try #require(try channel.exchange(request))
    }

    @Test func sendsWholeResourceWithAllowedFieldsOnly() throws {
        let response = try call(FakeSource(Self.media), TestServer.request())
        #expect(response.status == 200 && response.body == Self.media)
        #expect(response.fields["content-length"] == "10000" && response.fields["etag"] == "\"v1\"")
        #expect(response.fields["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        let allowed: Set = [
            "content-type", "content-length", "accept-ranges", "etag", "last-modified", "x-content-type-options",
            "referrer-policy", "access-control-allow-origin", "access-control-expose-headers",
            "cross-origin-resource-policy", "date",
        ]
        #expect(Set(response.fields.keys) == allowed)
    }

    @Test(arguments: [
        ("bytes=0-499", 0..<500), ("bytes=-100", 9900..<10_000), ("bytes=9500-", 9500..<10_000),
        ("bytes=0-", 0..<10_000), ("bytes=9999-20000", 9999..<10_000), ("bytes=0-0", 0..<1),
        ("bytes=10-20,15-30", 10..<31),
    ])
    func servesRange(_ range: String, _ expected: Range<Int>) throws {
        let response = try call(FakeSource(Self.media), TestServer.request("GET", "Range: \(range)"))
        #expect(response.status == 206 && response.body == Array(Self.media[expected]))
        let contentRange = "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/10000"
        #expect(response.fields["content-range"] == contentRange)
        #expect(response.fields["content-length"] == "\(expected.count)")
    }

    @Test(arguments: ["bytes=10000-", "bytes=-0", "bytes=5-4", "bytes=20000-30000,40000-"])
    func respondsToUnsatisfiableRangeWithLength(_ range: String) throws {
        let response = try call(FakeSource(Self.media), TestServer.request("GET", "Range: \(range)"))
        #expect(response.status == 416 && response.fields["content-range"] == "bytes */10000")
    }

    @Test(arguments: ["bytes=0-499", "bytes=9500-", "bytes=10000-", "bytes=0-0,5-6"])
    func ignoresRangesOfChangingResource(_ range: String) throws {
        let source = FakeSource(Self.media, acceptsRanges: false)
        let response = try call(source, TestServer.request("GET", "Range: \(range)"))
        #expect(response.status == 200 && response.body == Self.media)
        #expect(response.fields["accept-ranges"] == "none" && response.fields["content-range"] == nil)
        // The resource differs for each request, so it is opened only once.
        #expect(source.requests.count == 1)
    }

    @Test(arguments: ["items=0-5", "bytes=", "bytes=x-y", "bytes", "bytes =0-9", "bytes=0- 9", "bytes =-9"])
    func ignoresInvalidRange(_ range: String) throws {
        let response = try call(FakeSource(Self.media), TestServer.request("GET", "Range: \(range)"))
        #expect(response.status == 200 && response.body.count == 10_000)
    }

    @Test func sendsSeveralRangesAsMultipart() throws {
        let source = FakeSource(Self.media)
        let response = try call(source, TestServer.request("GET", "Range: bytes=9990-9999,0-4,20000-,100-104"))
        #expect(response.status == 206)
        let type = try #require(response.fields["content-type"])
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(type.hasPrefix("multipart/byteranges; "))
        var expected: [UInt8] = []
        for (index, part) in [9990..<10_000, 0..<5, 100..<105].enumerated() {
            expected += Array("\(index == 0 ? "" : "\r\n")--\(boundary)\r\nContent-Type: video/mp4\r\n".utf8)
            expected += Array("Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/10000\r\n\r\n".utf8)
            expected += Self.media[part]
        }
        expected += Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(response.body == expected && response.fields["content-length"] == "\(expected.count)")
        #expect(source.readers.allSatisfy { $0.isCancelled })
    }

    @Test func ignoresMoreThanSixteenRanges() throws {
        let ranges = (0..<17).map { "\($0 * 10)-\($0 * 10 + 1)" }.joined(separator: ",")
        let response = try call(FakeSource(Self.media), TestServer.request("GET", "Range: bytes=\(ranges)"))
        #expect(response.status == 200 && response.body == Self.media)
    }

    @Test func servesRangeOnlyOfVersionInIfRange() throws {
        func status(_ condition: String, entityTag: String = "\"v1\"") throws -> Int {
            let source = FakeSource(Self.media, entityTag: entityTag)
            return try call(source, TestServer.request("GET", "Range: bytes=0-9", "If-Range: \(condition)")).status
        }
        #expect(try status("\"v1\"") == 206)
        #expect(try status("\"v2\"") == 200)
        #expect(try status("W/\"v1\"") == 200)
        #expect(try status("W/\"v1\"", entityTag: "W/\"v1\"") == 200)
        #expect(try status("Sun, 06 Nov 1994 08:49:37 GMT") == 206)
        #expect(try status("Sun, 06 Nov 1994 08:49:38 GMT") == 200)
    }

    @Test func prefersOutdatedIfRangeOverUnsatisfiableRange() throws {
        let old = TestServer.request("GET", "Range: bytes=20000-", "If-Range: \"v0\"")
        #expect(try call(FakeSource(Self.media), old).status == 200)
        let current = TestServer.request("GET", "Range: bytes=20000-", "If-Range: \"v1\"")
        #expect(try call(FakeSource(Self.media), current).status == 416)
    }

    @Test(arguments: [
        ("If-None-Match: \"v1\"", 304), ("If-None-Match: \"x\", W/\"v1\"", 304), ("If-None-Match: *", 304),
        ("If-None-Match: \"v2\"", 200), ("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 304),
        ("If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 200), ("If-Match: \"v2\"", 412), ("If-Match: \"v1\"", 200),
        ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:36 GMT", 412),
    ])
    func evaluatesConditions(_ condition: String, _ status: Int) throws {
        let response = try call(FakeSource(Self.media), TestServer.request("GET", condition))
        #expect(response.status == status && response.body.isEmpty == (status != 200))
        #expect(response.fields["etag"] == "\"v1\"")
    }

    @Test func respondsToHEADWithoutBody() throws {
        let source = FakeSource(Self.media)
        let response = try call(source, TestServer.request("HEAD", "Range: bytes=0-5"))
        #expect(response.status == 200 && response.fields["content-length"] == "10000")
        #expect(response.body.isEmpty)
        #expect(source.requests.map(\.range) == [.closed(0, through: 0)])
        #expect(source.readers.allSatisfy { $0.isCancelled && $0.state.withLock { $0.polls } == 0 })
    }

    @Test func sendsEmptyResourceWithoutRanges() throws {
        let source = FakeSource([])
        let whole = try call(source, TestServer.request())
        #expect(whole.status == 200 && whole.fields["content-length"] == "0")
        #expect(try call(FakeSource([]), TestServer.request("GET", "Range: bytes=0-")).status == 416)
    }

    @Test func sendsUnknownLengthChunkedOrUntilClose() throws {
        let modern = try call(FakeSource(Self.media, knowsLength: false), TestServer.request("GET", "Range: bytes=5-"))
        #expect(modern.status == 200 && modern.fields["transfer-encoding"] == "chunked")
        #expect(modern.fields["content-length"] == nil)
        #expect(modern.body.starts(with: Array("2710\r\n".utf8)))
        #expect(modern.body.suffix(7) == Array("\r\n0\r\n\r\n".utf8)[...])
        let channel = try TestServer.connect(TestServer.context(FakeSource(Self.media, knowsLength: false)))
        let old = try #require(try channel.exchange(TestServer.request(version: "1.0")))
        #expect(old.fields["connection"] == "close" && old.body == Self.media)
        #expect(!channel.isActive)
    }

    @Test func sandboxesTypesThatBrowsersRun() throws {
        func policy(_ type: String) throws -> String? {
            try call(FakeSource(Self.media, contentType: type), TestServer.request()).fields["content-security-policy"]
        }
        #expect(try policy("video/mp4") == nil)
        #expect(try policy("application/vnd.apple.mpegurl") == nil)
        #expect(try policy("image/png") == nil)
        #expect(try policy("image/svg+xml") == "sandbox")
        #expect(try policy("application/json") == "sandbox")
        #expect(try policy("application/ogg") == nil)
        #expect(try policy("text/vtt") == "sandbox")
    }

    @Test(arguments: [
        "video/mp4,text/html", "video/mp4, video/mp4", "image/png,image/svg+xml", "image/svg+xml", "text/plain",
        "video/x-unheard-of", "audio/anything", "video/mp4;a,text/html", "video/mp4\u{B}", "\u{1}", "", "video", "*/*",
        "application/dash+xml", "text/xml", "multipart/x-mixed-replace; boundary=x", "video/mp4; x=\"",
        "video/mp4;" + String(repeating: "x", count: 2000),
    ])
    func sendsUnlistedTypeAsSandboxedBytes(_ type: String) throws {
        let response = try call(FakeSource(Self.media, contentType: type), TestServer.request())
        #expect(response.status == 200 && response.fields["content-type"] == "application/octet-stream")
        #expect(response.fields["content-security-policy"] == "sandbox")
        let request = TestServer.request("GET", "Range: bytes=0-4,9-12")
        let parts = try call(FakeSource(Self.media, contentType: type), request)
        let text = parts.text
        #expect(text.contains("Content-Type: application/octet-stream\r\n") && !text.contains("html"))
    }

    @Test(
        arguments: [
            ("Video/MP4", "video/mp4"), ("video/mp4 ; codecs=\"avc1.64001f, mp4a.40.2\"; x=<script>", nil),
            ("video/mp4; codecs=avc1", "video/mp4; codecs=\"avc1\""), ("video/mp4; codecs=\"<b>\"", "video/mp4"),
            ("video/mp4; charset=utf-8", "video/mp4"), ("audio/mpeg;", "audio/mpeg"),
            ("text/vtt; charset=\"UTF-8\"", "text/vtt; charset=utf-8"), ("text/vtt; charset=\"a b\"", "text/vtt"),
            ("application/x-mpegURL;charset=utf-8", "application/x-mpegurl; charset=utf-8"),
        ] as [(String, String?)])
    func writesListedTypeCanonically(_ type: String, _ sent: String?) throws {
        let response = try call(FakeSource(Self.media, contentType: type), TestServer.request())
        #expect(response.fields["content-type"] == sent ?? "video/mp4; codecs=\"avc1.64001f,mp4a.40.2\"")
    }

    @Test(arguments: [
        "v1", "\"v1\", \"v2\"", "\"v\"1\"", "\"a b\"", "\"\u{E9}\"", "\"<script>\u{1}\"", "\"",
        "\"" + String(repeating: "x", count: 300) + "\"",
    ])
    func replacesMalformedEntityTag(_ tag: String) throws {
        let source = FakeSource(Self.media, entityTag: tag)
        let sent = try #require(try call(source, TestServer.request()).fields["etag"])
        #expect(sent.hasPrefix("\"mc-tag-") && sent.hasSuffix("\"") && sent.utf8.count < 64)
        #expect(try call(source, TestServer.request()).fields["etag"] == sent)
        #expect(try call(source, TestServer.request("GET", "If-None-Match: \(sent)")).status == 304)
        #expect(try call(source, TestServer.request("GET", "If-Match: \(sent)")).status == 200)
        let resumed = try call(source, TestServer.request("GET", "Range: bytes=5-", "If-Range: \(sent)"))
        #expect(resumed.status == 206 && resumed.body == Array(Self.media[5...]))
        #expect(try call(source, TestServer.request("GET", "If-Match: \"other\"")).status == 412)
    }

    @Test func writesDateCanonicallyOrOmitsIt() throws {
        func modified(_ text: String, _ fields: String...) throws -> (Int, String?) {
            let lines = ["Host: localhost"] + fields
            let request = "GET \(TestServer.playPath()) HTTP/1.1\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n"
            let response = try call(FakeSource(Self.media, lastModified: text), request)
            return (response.status, response.fields["last-modified"])
        }
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        for form in [date, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            #expect(try modified(form) == (200, date))
            #expect(try modified(form, "If-Modified-Since: \(date)") == (304, date))
            #expect(try modified(form, "Range: bytes=0-9", "If-Range: \(date)") == (206, date))
        }
        for text in ["\(date), \(date)", "<script>", "", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            #expect(try modified(text) == (200, nil))
        }
    }

    @Test func refusesDocument() throws {
        let source = FakeSource(Array("<html>".utf8), contentType: "text/html; charset=utf-8")
        let response = try call(source, TestServer.request())
        #expect(response.status == 502 && response.fields["content-type"] == "application/problem+json")
        #expect(source.readers.allSatisfy { $0.isCancelled })
    }

    @Test func marksStaleResponse() throws {
        let response = try call(FakeSource(Self.media, isStale: true), TestServer.request())
        #expect(response.status == 200 && response.fields["warning"]?.hasPrefix("110") == true)
        #expect(response.fields["age"] != nil)
    }

    @Test func acceptsPreflightOnlyWithToken() throws {
        let allowed = try call(FakeSource(Self.media), TestServer.request("OPTIONS", "Origin: https://page.example"))
        #expect(allowed.status == 204 && allowed.fields["access-control-allow-origin"] == "*")
        #expect(allowed.fields["access-control-allow-headers"]?.contains("Range") == true)
        let wrong = "OPTIONS \(TestServer.playPath(AccessKey().value)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let refusal = try call(FakeSource(Self.media), wrong)
        #expect(refusal.status == 403)
        // Otherwise pages could test guessed tokens.
        #expect(refusal.fields["access-control-allow-origin"] == nil)
    }

    @Test func refusesWrongToken() throws {
        let source = FakeSource(Self.media)
        let request = "GET \(TestServer.playPath(AccessKey().value)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(try call(source, request).status == 403)
        #expect(source.requests.isEmpty)
    }

    @Test func refusesOtherMethods() throws {
        let response = try call(FakeSource(Self.media), TestServer.request("DELETE"))
        #expect(response.status == 405 && response.fields["allow"] == "GET, HEAD, OPTIONS")
    }
}
