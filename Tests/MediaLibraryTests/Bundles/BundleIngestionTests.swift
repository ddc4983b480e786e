import MediaCache
import Testing

@testable import MediaLibrary

/// A bundle's way in, and what it leaves pinned.
struct BundleIngestionTests {
    private let fixture = LibraryFixture()
    private let origin = "http://one.bundle.invalid/"

    private func part(_ name: String) -> AssetPart {
        AssetPart(role: .mediaSegment, name: name, url: origin + name)
    }

    private func begin(_ names: String..., with ingestion: BundleIngestion) async throws -> AssetID {
        let contents = AssetContents(
            playlists: [.init(name: "index.m3u8", url: origin + "index.m3u8", text: "#EXTM3U\n")],
            parts: names.map(part))
        return try await ingestion.begin(title: nil, url: origin + "index.m3u8", contents: contents).asset.id
    }

    private func take(_ name: String, with ingestion: BundleIngestion) async throws {
        try await ingestion.take(Array(repeating: 0x47, count: 100), at: 0, of: 100, as: part(name))
    }

    private func isPinned(_ name: String, in store: CacheStore) async throws -> Bool? {
        try await store.resource(for: try ResourceURL(origin + name))?.isPinned
    }

    @Test func otherContentsLeaveNoPinsBehind() async throws {
        let store = try await fixture.open()
        let ingestion = BundleIngestion(store: store, shelf: AssetShelf(of: store))
        let id = try await begin("a.ts", "b.ts", "c.ts", with: ingestion)
        for name in ["a.ts", "b.ts"] { try await take(name, with: ingestion) }
        #expect(try await ingestion.finish(id, gaps: true).download?.state == .completeWithHoles)
        #expect(try await isPinned("a.ts", in: store) == true)
        #expect(try await begin("b.ts", "d.ts", with: ingestion) == id)
        #expect(try await isPinned("a.ts", in: store) == false)
        #expect(try await isPinned("b.ts", in: store) == true)
        // What was taken in before stays, if the end fails.
        await #expect(throws: CacheError.self) { try await ingestion.finish(id, gaps: false) }
        #expect(try await isPinned("b.ts", in: store) == true)
        await store.close()
    }

    @Test func anEndThatFailsLeavesNoPins() async throws {
        let store = try await fixture.open()
        let ingestion = BundleIngestion(store: store, shelf: AssetShelf(of: store))
        let id = try await begin("a.ts", "b.ts", "c.ts", with: ingestion)
        for name in ["a.ts", "b.ts"] { try await take(name, with: ingestion) }
        // Somebody else's pin.
        try await store.setPinned(true, keys: [store.key(for: try ResourceURL(origin + "b.ts"))])
        let error = await #expect(throws: CacheError.self) { try await ingestion.finish(id, gaps: false) }
        #expect(error?.code == .notFound)
        #expect(try await isPinned("a.ts", in: store) == false)
        #expect(try await isPinned("b.ts", in: store) == true)
        try await take("c.ts", with: ingestion)
        #expect(try await ingestion.finish(id, gaps: false).download?.state == .complete)
        #expect(try await isPinned("a.ts", in: store) == true)
        await store.close()
    }
}
