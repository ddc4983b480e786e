import Foundation
import MediaCache
import MediaCacheTesting
import MediaLibrary
import Testing

struct AssetStoreTests {
    private let fixture = LibraryFixture()
    private let picture = Cover(bytes: [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3], mediaType: "image/jpeg")

    private func cached(_ text: String, in store: CacheStore) async throws -> ResourceInfo {
        let url = try ResourceURL(text)
        fixture.origin[url] = ScriptedResource(.random(seed: 1, length: 1000), contentType: "video/mp4")
        return try await store.complete(ReadRequest(url: url))
    }

    @Test func assetsSurviveRestart() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let film = try await cached("http://origin.example/film.mp4", in: store)
        let asset = try await assetStore.add(film)
        #expect(try await assetStore.add(film) == asset)
        _ = try await assetStore.setCover(picture, of: asset.id)
        await store.close()

        let again = try await fixture.open()
        let other = AssetStore(of: again)
        let read = try #require(try await other.asset(asset.id))
        #expect(read.url == "http://origin.example/film.mp4")
        #expect(read.cover?.size == 7)
        #expect(try await other.cover(of: asset.id) == picture)
        #expect(try await other.assets().map(\.id) == [asset.id])
        await again.close()
    }

    @Test func reportsVisibleChanges() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        var events = assetStore.events().makeAsyncIterator()
        let asset = try await assetStore.add(try await cached("http://origin.example/film.mp4", in: store))
        #expect(await events.next() == .added(asset.id))
        _ = try await assetStore.add(try await cached("http://origin.example/film.mp4", in: store))
        _ = try await assetStore.setCover(picture, of: asset.id)
        #expect(await events.next() == .changed(asset.id))
        try await assetStore.remove(asset.id)
        #expect(await events.next() == .removed(asset.id))
        await store.close()
    }

    /// Assets are stored outside the catalog.
    @Test func coversSurviveDamagedCatalog() async throws {
        let store = try await fixture.open()
        let asset = try await AssetStore(of: store).add(try await cached("http://origin.example/film.mp4", in: store))
        _ = try await AssetStore(of: store).setCover(picture, of: asset.id)
        await store.close()
        try Data("this is not a database.".utf8).write(to: URL(filePath: "\(fixture.folder)/catalog.sqlite"))

        let again = try await fixture.open()
        #expect(try await AssetStore(of: again).cover(of: asset.id) == picture)
        await again.close()
    }

    @Test func replacesRemovesAndCountsCovers() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let first = try await assetStore.add(try await cached("http://origin.example/1.mp4", in: store))
        let second = try await assetStore.add(try await cached("http://origin.example/2.mp4", in: store))
        _ = try await assetStore.setCover(picture, of: first.id)
        let png = Cover(bytes: [0x89, 0x50, 0x4E, 0x47, 5], mediaType: "image/png")
        _ = try await assetStore.setCover(png, of: first.id)
        _ = try await assetStore.setCover(picture, of: second.id)
        #expect(try await assetStore.cover(of: first.id) == png)
        #expect(try await assetStore.coverUsage() == CoverUsage(covers: 2, bytes: 12))
        try await assetStore.removeCover(of: first.id)
        #expect(try await assetStore.cover(of: first.id) == nil)
        #expect(try await assetStore.removeCovers() == CoverUsage(covers: 1, bytes: 7))
        #expect(try await assetStore.coverUsage().covers == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder)/assets")
        #expect(names.filter { $0.hasSuffix(".cover") }.isEmpty)
        await store.close()
    }

    @Test func removesAssetsByCacheKey() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let film = try await cached("http://origin.example/film.mp4", in: store)
        let asset = try await assetStore.add(film)
        _ = try await assetStore.setCover(picture, of: asset.id)
        try await assetStore.remove(withKeys: [film.key])
        #expect(try await assetStore.asset(asset.id) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder)/assets").isEmpty)
        await #expect(throws: CacheError.self) { _ = try await assetStore.setCover(picture, of: asset.id) }
        await store.close()
    }

    @Test func addsOneAssetForConcurrentCallers() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let film = try await cached("http://origin.example/film.mp4", in: store)
        let ids = try await withThrowingTaskGroup(of: AssetID.self) { group in
            for _ in 0..<20 { group.addTask { try await assetStore.add(film).id } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        await store.close()
    }

    /// After concurrent changes, an asset's record matches its cover.
    @Test func serializesChanges() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let asset = try await assetStore.add(try await cached("http://origin.example/film.mp4", in: store))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask { [picture] in
                    switch number % 4 {
                    case 0, 1: _ = try? await assetStore.setCover(picture, of: asset.id)
                    case 2: _ = try? await assetStore.removeCover(of: asset.id)
                    default: _ = try? await assetStore.cover(of: asset.id)
                    }
                }
            }
        }
        let note = try await assetStore.asset(asset.id)?.cover
        let file = FileManager.default.fileExists(atPath: "\(fixture.folder)/assets/\(asset.id).cover")
        #expect((note != nil) == file)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await assetStore.remove(asset.id) }
            for _ in 0..<5 { group.addTask { [picture] in _ = try? await assetStore.setCover(picture, of: asset.id) } }
        }
        #expect(try await assetStore.asset(asset.id) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder)/assets").isEmpty)
        await store.close()
    }

    @Test(arguments: ["", "../../../etc", "abcdefghijk", "abcdefghijkl2", "ABCDEFGHIJKL", "abcdefghijk1"])
    func rejectsInvalidIdentifiers(text: String) { #expect(AssetID(rawValue: text) == nil) }
}
