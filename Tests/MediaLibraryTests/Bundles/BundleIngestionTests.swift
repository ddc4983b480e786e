import Foundation
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

struct BundleIngestionTests {
    private let fixture = LibraryFixture()
    private let origin = "http://one.bundle.invalid/"

    private func part(_ name: String) -> AssetPart { AssetPart(role: .mediaSegment, name: name, url: origin + name) }

    private func begin(_ names: String..., with ingestion: BundleIngestion) async throws -> AssetID {
        let contents = AssetContents(
            playlists: [.init(name: "index.m3u8", url: origin + "index.m3u8", text: "#EXTM3U\n")],
            parts: names.map(part))
        return try await ingestion.begin(title: nil, url: origin + "index.m3u8", contents: contents).asset.id
    }

    private func importPart(_ name: String, with ingestion: BundleIngestion) async throws {
        try await ingestion.store(Array(repeating: 0x47, count: 100), at: 0, of: 100, as: part(name))
    }

    private func isPinned(_ name: String, in store: CacheStore) async throws -> Bool? {
        try await store.resource(for: try ResourceURL(origin + name))?.isPinned
    }

    @Test func importOfOtherContentsReleasesPins() async throws {
        let store = try await fixture.open()
        let ingestion = BundleIngestion(store: store, assetStore: AssetStore(of: store))
        let id = try await begin("a.ts", "b.ts", "c.ts", with: ingestion)
        for name in ["a.ts", "b.ts"] { try await importPart(name, with: ingestion) }
        #expect(try await ingestion.finish(id, gaps: true).download?.state == .completeWithHoles)
        #expect(try await isPinned("a.ts", in: store) == true)
        #expect(try await begin("b.ts", "d.ts", with: ingestion) == id)
        #expect(try await isPinned("a.ts", in: store) == false)
        #expect(try await isPinned("b.ts", in: store) == true)
        // The parts of an earlier import remain pinned if finishing fails.
        await #expect(throws: CacheError.self) { try await ingestion.finish(id, gaps: false) }
        #expect(try await isPinned("b.ts", in: store) == true)
        await store.close()
    }

    /// Bytes are imported through a private file in the cache folder. It is removed after the call; after a crash, the
    /// next process removes it.
    @Test func importsThroughCacheFolder() async throws {
        let store = try await fixture.open()
        let ingestion = BundleIngestion(store: store, assetStore: AssetStore(of: store))
        _ = try await begin("a.ts", with: ingestion)
        let system = FileManager.default.temporaryDirectory.path
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: system))
        try await importPart("a.ts", with: ingestion)
        let after = Set(try FileManager.default.contentsOfDirectory(atPath: system))
        // Other tests may create other files there at the same time.
        let imported = Data(repeating: 0x47, count: 100)
        let new = after.subtracting(before).filter { $0.hasSuffix(".part") }
        #expect(!new.contains { FileManager.default.contents(atPath: "\(system)/\($0)") == imported })
        let incoming = "\(fixture.folder)/incoming"
        #expect(try FileManager.default.contentsOfDirectory(atPath: incoming) == [])
        #expect(try FileManager.default.attributesOfItem(atPath: incoming)[.posixPermissions] as? Int == 0o700)
        // A killed process leaves a file like this.
        #expect(FileManager.default.createFile(atPath: "\(incoming)/killed.part", contents: Data([0x47])))
        await store.close()
        let later = try await fixture.open()
        try await BundleIngestion.removeAbandoned(in: later)
        #expect(try FileManager.default.contentsOfDirectory(atPath: incoming) == [])
        await later.close()
    }

    @Test func failedImportReleasesPins() async throws {
        let store = try await fixture.open()
        let ingestion = BundleIngestion(store: store, assetStore: AssetStore(of: store))
        let id = try await begin("a.ts", "b.ts", "c.ts", with: ingestion)
        for name in ["a.ts", "b.ts"] { try await importPart(name, with: ingestion) }
        // This pin belongs to another asset.
        try await store.setPinned(true, keys: [store.key(for: try ResourceURL(origin + "b.ts"))])
        let error = await #expect(throws: CacheError.self) { try await ingestion.finish(id, gaps: false) }
        #expect(error?.code == .notFound)
        #expect(try await isPinned("a.ts", in: store) == false)
        #expect(try await isPinned("b.ts", in: store) == true)
        try await importPart("c.ts", with: ingestion)
        #expect(try await ingestion.finish(id, gaps: false).download?.state == .complete)
        #expect(try await isPinned("a.ts", in: store) == true)
        await store.close()
    }

    /// A bundle can neither permit local addresses for its parts nor claim another recording's resources.
    @Test func bundleCannotSetLibraryRecords() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        var hostile = AssetPart(role: .mediaSegment, name: "a.ts", url: "http://127.0.0.1:9/a.ts")
        hostile.scope = .any
        hostile.storedAs = "recording/other/media-1/4.ts"
        let contents = AssetContents(playlists: [], parts: [hostile])
        let (asset, _) = try await BundleIngestion(store: store, assetStore: assetStore).begin(
            title: nil, url: "http://127.0.0.1:9/index.m3u8", contents: contents)
        let part = try #require(try await assetStore.contents(of: asset.id)?.parts.first)
        #expect(part.scope == .publicOnly)
        #expect(part.storedAs == nil)
        #expect(try part.request(settings: store.transfers, named: asset.url).settings?.scope == .publicOnly)
        await store.close()
    }

    /// A bundle may refer to a resource that the user has cached from a local address.
    @Test(arguments: [true, false])
    func treatsCachedBytesFromLocalAddressAsHole(isImported: Bool) async throws {
        let store = try await fixture.open()
        let url = "http://192.168.0.9/a.ts"
        let hole = AssetPart(role: .mediaSegment, name: "a.ts", url: url)
        let ingestion = BundleIngestion(store: store, assetStore: AssetStore(of: store))
        let contents = AssetContents(playlists: [], parts: [hole, part("b.ts")])
        let id = try await ingestion.begin(title: nil, url: origin + "index.m3u8", contents: contents).asset.id
        if isImported {
            try await ingestion.store(Array(repeating: 0x47, count: 100), at: 0, of: 100, as: hole)
        } else {
            fixture.origin[try ResourceURL(url)] = ScriptedResource(.random(seed: 1, length: 1000), peer: .local)
            _ = try await store.complete(ReadRequest(url: try ResourceURL(url)))
        }
        try await importPart("b.ts", with: ingestion)
        let download = try await ingestion.finish(id, gaps: true).download
        #expect(download?.holes.map(\.url) == (isImported ? [] : [url]))
        #expect(download?.state == (isImported ? .complete : .completeWithHoles))
        await store.close()
    }

    @Test func omitsScopeFromJSON() throws {
        var part = part("a.ts")
        part.scope = .any
        let data = try JSONEncoder().encode(part)
        let text = String(decoding: data, as: UTF8.self)
        #expect(!text.contains("scope"))
        let claimed = text.dropLast() + #","scope":"any"}"#
        #expect(try JSONDecoder().decode(AssetPart.self, from: Data(claimed.utf8)).scope == nil)
    }

    /// The parts of a bundle that was imported with a base have URLs of an origin, so that missing ones can be fetched.
    @Test(.timeLimit(.minutes(60))) func downloadFetchesPartsMissingFromBundle() async throws {
        let fixture = DownloadFixture()
        fixture.serveStream(segments: 2)
        try await fixture.use { downloads in
            let (store, assetStore) = (await downloads.store, await downloads.assetStore)
            let ingestion = BundleIngestion(store: store, assetStore: assetStore)
            let parts = ["0.ts", "1.ts"].map {
                AssetPart(role: .mediaSegment, name: $0, url: fixture.url($0).description, duration: 6)
            }
            let playlist = AssetContents.LocalPlaylist(
                name: "index.m3u8", url: fixture.entry.description, text: SamplePlaylist.onDemand)
            let asset = try await ingestion.begin(
                title: nil, url: fixture.entry.description,
                contents: AssetContents(playlists: [playlist], parts: parts, duration: 12)
            ).asset
            let bytes = DownloadFixture.packets(0)
            try await ingestion.store(bytes, at: 0, of: Int64(bytes.count), as: parts[0])
            let imported = try await ingestion.finish(asset.id, gaps: true)
            #expect(imported.download?.holes.map(\.isRetryable) == [true])
            try await downloads.adopt(asset.id)
            try await downloads.resume(asset.id)
            try await fixture.expectCompletion(of: asset.id, downloads, parts: 2)
            #expect(fixture.requests(for: "0.ts") == 0 && fixture.requests(for: "1.ts") == 1)
        }
    }
}
