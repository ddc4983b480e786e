import HTTPTypes
import MediaCacheTesting
import Testing

@testable import MediaCache

/// Tests of URLs with user information, which are passed to the engine unchanged.
struct CredentialsTests {
    private static let body = ScriptedBody.random(seed: 11, length: 3_000_000)
    private let fixture: EngineFixture
    private let bobs: ResourceURL
    private let files = PowerCutFileSystem()

    init() throws {
        fixture = try EngineFixture(serving: ScriptedResource(Self.body), files: files)
        bobs = try ResourceURL("http://bob:secret@origin.example/film.mp4")
    }

    @Test func separatesResourcesByUser() async throws {
        let store = try await fixture.open()
        #expect(try await store.bytes(bobs) == Self.body.bytes)
        let anonymous = try await store.resource(for: fixture.url)
        #expect(anonymous?.identity == ProfileIdentity(user: "bob"))
        #expect(anonymous?.name == fixture.url.description)
        #expect(fixture.origin.requests.allSatisfy { $0.headerFields[.authorization] == "Basic Ym9iOnNlY3JldA==" })
        let requestCount = fixture.origin.requests.count
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(fixture.origin.requests.dropFirst(requestCount).allSatisfy { $0.headerFields[.authorization] == nil })
        #expect(try await store.resources().count == 2)
        #expect(try await store.resource(for: fixture.url)?.identity == nil)
        await store.close()
    }

    @Test func findsResourceByURLAfterReopening() async throws {
        let first = try await fixture.open()
        _ = try await first.complete(ReadRequest(url: bobs))
        let store = try await fixture.reopen(first)
        for text in ["http://origin.example/film.mp4", "http://bob@origin.example/film.mp4"] {
            let url = try ResourceURL(text)
            #expect(try await store.resource(for: url)?.isComplete == true)
            #expect(try await store.localFile(for: url) != nil)
        }
        let alices = try ResourceURL("http://alice@origin.example/film.mp4")
        #expect(try await store.resource(for: alices) == nil)
        await store.close()
    }

    @Test func errorsContainURL() async throws {
        let store = try await fixture.open()
        _ = try await store.complete(ReadRequest(url: bobs))
        let error = await #expect(throws: CacheError.self) { try await store.bytes(bobs, .from(9_000_000)) }
        #expect(error?.message.hasSuffix("http://origin.example/film.mp4, which has 3000000 bytes") == true)
        await store.close()
    }

    @Test func repairsResourceOfUser() async throws {
        let first = try await fixture.open()
        _ = try await first.complete(ReadRequest(url: bobs))
        await first.close()
        files.withDisk { disk in
            for path in disk.paths where path.hasSuffix(".bin") { disk.damage(path) { $0[1_500_000] ^= 4 } }
        }
        let store = try await fixture.open()
        let report = try await store.verify(repair: true)
        #expect(report.findings.map(\.isRepaired) == [true])
        #expect(report.findings.map(\.key) == [fixture.url.description])
        #expect(try await store.resources().count == 1)
        await store.close()
    }
}
