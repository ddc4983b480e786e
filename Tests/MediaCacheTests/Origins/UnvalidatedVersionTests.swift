import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

/// Tests of versions without distinguishing validators, of short responses, and of pages in response to range requests.
struct UnvalidatedVersionTests {
    private static let old = ScriptedBody.random(seed: 21, length: 3_000_000)
    private static let new = ScriptedBody.random(seed: 22, length: 3_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.old, entityTag: nil)) }

    @Test(arguments: [nil, "W/\"same\""] as [String?])
    func neverMixesVersionsChangedDuringFill(_ entityTag: String?) async throws {
        fixture.origin[fixture.url] = ScriptedResource(Self.old, entityTag: entityTag)
        let gate = fixture.holdNext(at: 900_000)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: fixture.url))
        var bytes: [UInt8] = []
        var failure: CacheError?
        do {
            for try await buffer in session.buffers {
                bytes += buffer
                guard bytes.count >= 800_000, !gate.isOpen else { continue }
                fixture.origin.replaceBody(fixture.url, with: Self.new, entityTag: entityTag)
                gate.open()
            }
        } catch let error as CacheError { failure = error }
        #expect(failure?.code == .representationChanged)
        #expect(Self.old.matches(bytes))
        session.cancel()
        await store.close()
    }

    /// Returns a reader of a resource without a validator, all of whose bytes can be compared.
    private func reader(of origin: ScriptedOrigin, _ time: ManualTime, _ url: ResourceURL) -> OriginReader {
        OriginReader(
            context: .test(origin, time: time, RetryPolicy(budget: 0)), locator: ResourceLocator(url: url),
            requested: .from(0, to: nil), known: KnownRepresentation(validator: Validator(), length: Self.old.length),
            comparable: { $0 })
    }

    @Test func comparesBytesAfterShortResponse() async throws {
        fixture.origin.next(
            fixture.url, .contentRange("bytes 0-499999/3000000"), .closeDelimited(after: 500_000))
        let reader = reader(of: fixture.origin, fixture.time, fixture.url)
        var (received, compared) = (Int64(0), Int64(0))
        while let piece = try await reader.next() {
            if piece.isOverlap { compared += Int64(piece.part.count) } else { received += Int64(piece.part.count) }
        }
        #expect(received == Self.old.length && compared == OriginReader.overlap)
    }

    @Test func comparesBytesAfterConnectionWasClosed() async throws {
        fixture.origin.next(fixture.url, .bufferSize(100_000))
        let reader = reader(of: fixture.origin, fixture.time, fixture.url)
        let first = try #require(try await reader.next())
        await reader.close()
        let second = try #require(try await reader.next())
        #expect(second.isOverlap && second.offset == first.range.upperBound - OriginReader.overlap)
        await reader.close()
    }

    @Test func refusesPageInResponseToRange() async throws {
        var bytes = Self.old.bytes
        let page = Array("<!DOCTYPE html><html><body>Please log in</body></html>".utf8)
        bytes.replaceSubrange(1 << 20..<1 << 20 + page.count, with: page)
        fixture.origin[fixture.url] = ScriptedResource(.bytes(bytes))
        fixture.origin.next(fixture.url)
        fixture.origin.always(fixture.url, .entityTag(nil), .headerFields([.contentType: "text/html"]))
        let store = try await fixture.open()
        await expectError(.notMedia) { try await store.bytes(fixture.url) }
        await store.close()
    }
}
