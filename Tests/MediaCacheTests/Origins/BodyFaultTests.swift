import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

/// Tests of bodies that don't match their response heads, and of 416 responses.
struct BodyFaultTests {
    static let body = ScriptedBody.random(seed: 41, length: 2_500_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    @Test(arguments: [1, 1000, 900_000])
    func resumesShortBodyAtFirstMissingByte(_ count: Int64) async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(1) }
        fixture.origin.next(fixture.url, .bodyShorter(by: count))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.contains { $0.range?.knownStart == (1 << 20) - count })
        #expect(fixture.origin.bodyBytes == Self.body.length)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func failsIfBodyIsAlwaysShort() async throws {
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, .bodyShorter(by: 100_000))
        try await fixture.expectFailure(store, of: Self.body, code: .badResponse)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: [true, false])
    func dropsBytesBeyondAnnouncedLength(_ acceptsRanges: Bool) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, acceptsRanges: acceptsRanges)
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, .bodyLonger(by: 100_000))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: [ScriptedFault.noContentLength, .closeDelimited()], [true, false])
    func readsBodyWithoutLengthToItsEnd(_ fault: ScriptedFault, _ acceptsRanges: Bool) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, acceptsRanges: acceptsRanges)
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, fault)
        let session = try await store.read(ReadRequest(url: fixture.url))
        #expect(session.head.length == (acceptsRanges ? Self.body.length : nil))
        #expect(try await session.allBytes() == Self.body.bytes)
        session.cancel()
        #expect(try await store.resource(for: fixture.url)?.length == Self.body.length)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    /// The end of the connection ends the body, or interrupts it if the version's length is known.
    @Test func preservesKnownLengthWhenConnectionEndsEarly() async throws {
        let store = try await fixture.open { $0.transfers.retries = .atOnce(2) }
        _ = try await store.bytes(fixture.url, .closed(2_000_000, through: 2_000_099))
        fixture.origin.next(fixture.url, .ignoresRange, .closeDelimited(after: 700_000))
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(try await store.resource(for: fixture.url)?.length == Self.body.length)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: [true, false], ["gzip", "br", "x-unknown"])
    func refusesContentCoding(_ acceptsRanges: Bool, _ coding: String) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, acceptsRanges: acceptsRanges)
        let store = try await fixture.open()
        fixture.origin.always(fixture.url, .contentEncoding(coding))
        try await fixture.expectFailure(store, of: Self.body, code: .badResponse)
        #expect(try await store.resource(for: fixture.url) == nil)
        fixture.origin.clearFaults(fixture.url)
        // An origin without ranges would send everything before its reader leaves, and a returning reader would share
        // this fill.
        let gate = fixture.holdNext(at: 500_000)
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        try await fixture.advancingClock { await fixture.origin.wait { $0.allSatisfy { $0.progress != .running } } }
        fixture.origin.always(fixture.url, .contentEncoding(coding))
        gate.open()
        try await fixture.expectFailure(store, .from(2_000_000), of: Self.body, code: .badResponse)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func acceptsIdentityCoding() async throws {
        fixture.origin.always(fixture.url, .contentEncoding("Identity"))
        let store = try await fixture.open()
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.allSatisfy { $0.headerFields[.acceptEncoding] == "identity" })
        await store.close()
    }

    @Test(arguments: [RequestedRange.from(2_500_000), .closed(2_500_000, through: .max), .from(.max)])
    func reportsRangeBeyondEndAsNotSatisfiable(_ range: RequestedRange) async throws {
        let store = try await fixture.open()
        let error = await expectError(.rangeNotSatisfiable) { try await store.bytes(fixture.url, range) }
        #expect(error?.completeLength == Self.body.length)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test(arguments: [nil, "bytes */2500000", "nonsense"])
    func reports416ForExistingRangeAsBadResponse(_ contentRange: String?) async throws {
        let store = try await fixture.open()
        fixture.origin.always(
            fixture.url, .status(416), .headerFields(contentRange.map { [.contentRange: $0] } ?? [:]))
        try await fixture.expectFailure(store, .from(1000), of: Self.body, code: .badResponse)
        fixture.origin.clearFaults(fixture.url)
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        fixture.origin.always(
            fixture.url, .status(416), .headerFields(contentRange.map { [.contentRange: $0] } ?? [:]))
        try await fixture.expectFailure(store, .from(2_000_000), of: Self.body, code: .badResponse)
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }

    @Test func treatsShorterResourceAsAnotherVersion() async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, entityTag: nil)
        let store = try await fixture.open()
        _ = try await store.bytes(fixture.url, .closed(0, through: 99))
        let shorter = ScriptedBody.random(seed: 42, length: 1_000_000)
        fixture.origin[fixture.url] = ScriptedResource(shorter, entityTag: nil)
        try await fixture.expectFailure(store, .from(2_000_000), of: Self.body, code: .representationChanged)
        try await fixture.expectCorrectBytes(of: shorter, in: store)
        await store.close()
    }

    @Test(arguments: [true, false])
    func readsEmptyResource(_ acceptsRanges: Bool) async throws {
        let url = try ResourceURL("http://origin.example/notes.bin")
        fixture.origin[url] = ScriptedResource(
            .bytes([]), contentType: "application/octet-stream", acceptsRanges: acceptsRanges)
        let store = try await fixture.open()
        #expect(try await store.bytes(url) == [])
        #expect(try await store.bytes(url) == [])
        let info = try #require(try await store.resource(for: url))
        #expect(info.length == 0)
        #expect(info.isComplete)
        for range in [RequestedRange.from(0), .suffix(5)] {
            let error = await expectError(.rangeNotSatisfiable) { try await store.bytes(url, range) }
            #expect(error?.completeLength == 0)
        }
        await store.close()
    }

    @Test func readsEmptyResourceWithNoStore() async throws {
        let url = try ResourceURL("http://origin.example/notes.bin")
        fixture.origin[url] = ScriptedResource(
            .bytes([]), contentType: "application/octet-stream", cacheControl: "no-store")
        let store = try await fixture.open()
        for _ in 0..<2 { #expect(try await store.bytes(url) == []) }
        await store.close()
    }

    /// An empty film is passed to readers but not stored, whatever its media type is.
    @Test(arguments: ["video/mp4", "application/octet-stream", nil], [true, false])
    func passesEmptyFilmThroughWithoutStoringIt(_ contentType: String?, _ acceptsRanges: Bool) async throws {
        fixture.origin[fixture.url] = ScriptedResource(
            .bytes([]), contentType: contentType, acceptsRanges: acceptsRanges)
        let store = try await fixture.open()
        for _ in 0..<2 {
            #expect(try await store.bytes(fixture.url) == [])
            for range in [RequestedRange.from(0), .closed(0, through: 9), .suffix(5)] {
                let error = await expectError(.rangeNotSatisfiable) { try await store.bytes(fixture.url, range) }
                #expect(error?.completeLength == 0)
            }
        }
        let request = ReadRequest(url: fixture.url, transferClass: .download)
        await expectError(.notMedia) { try await store.complete(request) }
        #expect(try await store.resource(for: fixture.url) == nil)
        // The empty response may have been a mistake of the origin.
        let film = ScriptedBody.random(seed: 3, length: 100_000)
        fixture.origin[fixture.url] = ScriptedResource(film, acceptsRanges: acceptsRanges)
        #expect(try await store.bytes(fixture.url) == film.bytes)
        await store.close()
    }

    @Test(arguments: [RequestedRange.closed(0, through: .max), .from(.max), .closed(.max, through: .max)])
    func acceptsRangesUpToMaximumOffset(_ range: RequestedRange) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.body, acceptsRanges: false)
        fixture.origin.always(fixture.url, .noContentLength)
        let store = try await fixture.open()
        let bytes = try? await store.bytes(fixture.url, range)
        if range.knownStart == 0 { #expect(bytes == Self.body.bytes) } else { #expect(bytes ?? [] == []) }
        try await fixture.expectCorrectBytes(of: Self.body, in: store)
        await store.close()
    }
}
