import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

/// Tests of login and error pages sent instead of media.
struct PageFaultTests {
    static let body = ScriptedBody.random(seed: 51, length: 2_500_000)
    static let json = #"{"error": "session expired"}"#
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    static let answers: [[ScriptedFault]] = [
        [.page()], [.page(), .noContentLength], [.page("<html>"), .headerFields([.contentType: "video/mp4"])],
        [.page("<html>"), .headerFields([.eTag: "\"portal\""])],
        [.page(json), .headerFields([.contentType: "application/json"])],
        [.page("<?xml version=\"1.0\"?><Error/>"), .headerFields([.contentType: "application/xml; charset=utf-8"])],
        [.page(""), .noContentLength],
        [.page(""), .headerFields([.contentType: "video/mp4"])],
    ]

    /// All responses except the last, which is an empty film.
    @Test(arguments: answers.indices.dropLast())
    func refusesPageInFirstResponse(_ index: Int) async throws {
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, faults: Self.answers[index])
        for range in [RequestedRange.all, .from(1_000_000), .suffix(100)] {
            try await fixture.expectFailure(store, range, of: Self.body, code: .notMedia)
        }
        #expect(try await store.resource(for: fixture.url) == nil)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: answers.indices.filter { $0 != 2 }, [nil, "\"1\""])
    func treatsPageInMidFileAsFailure(_ index: Int, _ tag: String?) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, entityTag: tag)
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(1_200_000, through: 1_200_099))
        fixture.origin.always(fixture.url, faults: Self.answers[index])
        try await fixture.expectFailure(store, of: Self.body, code: .notMedia)
        // Bytes that were cached before remain cached.
        let info = try #require(try await store.resource(for: fixture.url))
        #expect(info.spans.contains { $0.contains(1_200_000) })
        #expect(info.length == Self.body.length)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    /// A body declared as a page is refused because of its first bytes, or if they remain inconclusive for two seconds.
    @Test(arguments: ["<!DOCTYPE html><html><head>", "Please log in, "])
    func detectsTricklingPage(_ front: String) async throws {
        let store = try await fixture.open { $0.setLongLimits() }
        _ = try await store.bytes(fixture.url, .closed(1_200_000, through: 1_200_099))
        let gate = ScriptedGate()
        let page = front + String(repeating: "word ", count: 1000)
        fixture.origin.always(fixture.url, .page(page), .stall(after: Int64(front.utf8.count), until: gate))
        try await fixture.advancingClock(by: .milliseconds(10)) {
            try await fixture.expectFailure(store, of: Self.body, code: .notMedia)
        }
        gate.open()
        await store.close()
    }

    /// The origin serves its error page like the file, with ranges and the media type of the URL's extension.
    @Test(arguments: [RequestedRange.all, .suffix(100), .suffix(3), .from(1000), .closed(2000, through: 2099)])
    func refusesPageSentInRangesAsMedia(_ range: RequestedRange) async throws {
        let text = "<!DOCTYPE html><html><body>" + String(repeating: "<p>Not here, café.</p>\n", count: 200) + "</html>"
        fixture.origin[fixture.url] = ScriptedResource(.text(text), contentType: "video/mp4")
        let store = try await fixture.open()
        for _ in 0..<2 {
            await expectError(.notMedia) { try await store.bytes(fixture.url, range) }
        }
        #expect(try await store.resource(for: fixture.url) == nil)
        await store.close()
    }

    /// If media ends in text, such as metadata, its first bytes decide. Otherwise no further request is needed.
    @Test(arguments: [true, false])
    func acceptsEndOfMedia(_ endsWithText: Bool) async throws {
        var bytes = Array("\0\0\0\u{18}ftypmp42".utf8) + Self.body.bytes
        if endsWithText { bytes += Array(String(repeating: "<rdf:li>words</rdf:li>", count: 100).utf8) }
        fixture.origin[fixture.url] = ScriptedResource(.bytes(bytes), contentType: "video/mp4")
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url, .suffix(1000)) == Array(bytes.suffix(1000)))
        #expect(fixture.origin.requests.count == (endsWithText ? 2 : 1))
        #expect(try await store.resource(for: fixture.url)?.contentType == "video/mp4")
        await store.close()
    }

    /// The origin's script labels every response as HTML. A key may consist of letters, which is unlikely for longer
    /// encrypted content.
    @Test(arguments: [16, 32])
    func acceptsKeyOfLetters(_ length: Int) async throws {
        let key = Array("0123456789abcdef0123456789ABCDEF".utf8.prefix(length))
        fixture.origin[fixture.url] = ScriptedResource(.bytes(key), entityTag: nil, contentType: "text/html")
        let store = try await fixture.open()
        await expectError(.notMedia) { try await store.bytes(fixture.url) }
        let request = ReadRequest(url: fixture.url, kind: .key)
        for _ in 0..<2 {
            let session = try await store.read(request)
            #expect(session.head.contentType == "application/octet-stream")
            #expect(try await session.allBytes() == key)
        }
        var again = request
        again.revalidation = .since(store.monotonicTime)
        #expect(try await store.read(again).allBytes() == key)
        await store.close()
    }

    /// The first request is for the last bytes, so the first bytes are fetched when the type is already known.
    @Test func refusesPlaylistInsteadOfKeyAfterReadingItsEnd() async throws {
        let text = Array("#EXTM3U\n#EXTINF:1,\n//0:18931/k".utf8)
        fixture.origin[fixture.url] = ScriptedResource(.bytes([UInt8](0..<32)), entityTag: nil, lastModified: "x")
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 4, maximum: 4) }
        var request = ReadRequest(url: fixture.url, range: .closed(28, through: 31), kind: .key)
        #expect(try await store.read(request).allBytes() == [28, 29, 30, 31])
        fixture.origin[fixture.url] = ScriptedResource(
            .bytes(Array(text.prefix(28)) + [28, 29, 30, 31]), entityTag: nil, lastModified: "x")
        request.range = .all
        await expectError(.representationChanged) { try await store.read(request).allBytes() }
        await store.close()
    }

    @Test func refusesPageInsteadOfKey() async throws {
        fixture.origin[fixture.url] = ScriptedResource(
            .text("<html>Please log in</html>"), entityTag: nil, contentType: "text/html")
        let store = try await fixture.open()
        await expectError(.notMedia) { try await store.read(ReadRequest(url: fixture.url, kind: .key)) }
        await store.close()
    }

    @Test func acceptsEncryptedContentDespiteName() async throws {
        let url = try ResourceURL("http://origin.example/seg-1.html")
        fixture.origin[url] = ScriptedResource(Self.body, contentType: "text/html")
        let store = try await fixture.open()
        #expect(try await store.bytes(url) == Self.body.bytes)
        #expect(try await store.resource(for: url)?.contentType == "application/octet-stream")
        await store.close()
    }

    @Test func retriesAfterOccasionalPage() async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(2) }
        fixture.origin.next(fixture.url)
        fixture.origin.next(fixture.url, .page())
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    /// A captive portal responds with a page. The cached content remains playable and is marked as stale.
    @Test(arguments: answers.indices.filter { $0 != 2 })
    func keepsCachedVersionWhenRevalidationReturnsPage(_ index: Int) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, cacheControl: "no-cache")
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url)
        fixture.origin.always(fixture.url, faults: Self.answers[index])
        let session = try await store.read(ReadRequest(url: fixture.url))
        #expect(session.head.isStale)
        #expect(try await session.allBytes() == Self.body.bytes)
        session.cancel()
        await store.close()
    }

    @Test(arguments: [64 << 10, 100, 1])
    func acceptsTransportStreamLabeledAsPage(_ bufferSize: Int) async throws {
        var bytes = Self.body.bytes
        for offset in stride(from: 0, to: bytes.count, by: 188) { bytes[offset] = 0x47 }
        let body = ScriptedBody.bytes(bytes)
        let url = try ResourceURL("http://origin.example/segment.ts")
        fixture.origin[url] = ScriptedResource(body, entityTag: nil, contentType: "text/html", bufferSize: 64 << 10)
        let store = try await fixture.open()
        fixture.origin.next(url, .bufferSize(bufferSize), .reset(after: 5000))
        _ = try? await store.bytes(url, .closed(0, through: 99))
        // Retries are disabled, so a reader that joined the failing fill would fail with it.
        await store.settled { $0.statistics.runningFills == 0 }
        #expect(try await store.bytes(url) == bytes)
        #expect(try await store.resource(for: url)?.contentType == "video/mp2t")
        await store.close()
    }

    @Test func acceptsTransportStreamLabeledAsPageWithoutRanges() async throws {
        var bytes = Self.body.bytes
        for offset in stride(from: 0, to: bytes.count, by: 188) { bytes[offset] = 0x47 }
        let url = try ResourceURL("http://origin.example/segment.ts")
        fixture.origin[url] = ScriptedResource(.bytes(bytes), contentType: "text/html")
        let store = try await fixture.open()
        #expect(
            try await store.bytes(url, .closed(1_000_000, through: 1_000_999)) == Array(bytes[1_000_000..<1_001_000]))
        fixture.origin.always(url, .ignoresRange)
        #expect(try await store.bytes(url) == bytes)
        await store.close()
    }

    /// Scripts label their responses as HTML by default, and keys often come from scripts.
    @Test(arguments: [
        [0x8F, 0x3C, 0x01, 0xFE, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C],
        [0x8F, 0x41, 0xC3, 0xFE, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C],
    ])
    func acceptsKeyLabeledAsPage(_ key: [UInt8]) async throws {
        let url = try ResourceURL("http://origin.example/key.php?id=1")
        fixture.origin[url] = ScriptedResource(.bytes(key), contentType: "text/html; charset=UTF-8")
        let store = try await fixture.open()
        for _ in 0..<2 { #expect(try await store.bytes(url) == key) }
        #expect(try await store.resource(for: url)?.contentType == "application/octet-stream")
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test(arguments: ["Zugriff verweigert: h\u{F6}flich", "Access denied"])
    func refusesProseLabeledAsPage(_ text: String) async throws {
        let url = try ResourceURL("http://origin.example/key.php?id=1")
        fixture.origin[url] = ScriptedResource(.text(text), contentType: "text/html")
        let store = try await fixture.open()
        await expectError(.notMedia) { try await store.bytes(url) }
        await store.close()
    }

    @Test func acceptsRequestedJSON() async throws {
        let url = try ResourceURL("http://origin.example/session.json")
        fixture.origin[url] = ScriptedResource(.text(Self.json), contentType: "application/json")
        let store = try await fixture.open()
        #expect(try await store.bytes(url) == Array(Self.json.utf8))
        #expect(try await store.resource(for: url)?.contentType == "application/json")
        await store.close()
    }
}

extension ScriptedOrigin {
    func always(_ url: ResourceURL, faults: [ScriptedFault]) {
        switch faults.count {
        case 1: always(url, faults[0])
        default: always(url, faults[0], faults[1])
        }
    }
}
