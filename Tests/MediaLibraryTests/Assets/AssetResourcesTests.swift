import Foundation
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

struct AssetResourcesTests {
    private let fixture = LibraryFixture()

    private func url(_ name: String) -> String { "http://origin.example/films/\(name)" }

    private func asset(_ name: String, parts: [String], on assetStore: AssetStore, _ store: CacheStore) async throws
        -> Asset
    {
        let entry = try ResourceURL(url("\(name).m3u8"))
        let asset = try await assetStore.add(
            Asset(key: store.key(for: entry), url: entry.description, created: store.now))
        let parts = parts.map { AssetPart(role: .mediaSegment, name: $0, url: url($0)) }
        try await assetStore.setContents(AssetContents(parts: parts), of: asset.id)
        return asset
    }

    private func resources(of store: CacheStore, _ assetStore: AssetStore) -> AssetResources {
        AssetResources(store: store, assetStore: assetStore, settings: { _, _, _ in store.transfers })
    }

    @Test func excludesSharedResources() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let one = try await asset("one", parts: ["a.ts", "b.ts"], on: assetStore, store)
        _ = try await asset("two", parts: ["b.ts", "c.ts"], on: assetStore, store)
        let keys = try await resources(of: store, assetStore).exclusiveKeys(of: one)
        #expect(keys == [url("one.m3u8"), url("a.ts")])
        await store.close()
    }

    @Test func errorContainsIDOfUnreadableAsset() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let one = try await asset("one", parts: ["a.ts"], on: assetStore, store)
        let two = try await asset("two", parts: ["a.ts"], on: assetStore, store)
        let all = FileManager.default.enumerator(atPath: fixture.folder)?.compactMap { $0 as? String } ?? []
        let file = try #require(all.first { $0.hasSuffix("\(two.id).contents") })
        try Data("something else".utf8).write(to: URL(filePath: "\(fixture.folder)/\(file)"))
        let resources = resources(of: store, assetStore)
        let error = await #expect(throws: CacheError.self) { try await resources.exclusiveKeys(of: one) }
        #expect(error?.code == .storage && error?.description.contains(two.id.rawValue) == true)
        // A damaged asset can still be removed.
        #expect(try await resources.exclusiveKeys(of: two) == [url("two.m3u8")])
        try await assetStore.remove(two.id)
        #expect(try await resources.exclusiveKeys(of: one) == [url("one.m3u8"), url("a.ts")])
        await store.close()
    }

    private func contents(_ names: String...) -> AssetContents {
        AssetContents(parts: names.map { AssetPart(role: .mediaSegment, name: $0, url: url($0)) })
    }

    /// Caches and pins parts.
    private func cache(_ names: String..., in store: CacheStore) async throws {
        for name in names {
            let part = try ResourceURL(url(name))
            fixture.origin[part] = ScriptedResource(.random(seed: 1, length: 100), contentType: "video/mp2t")
            _ = try await store.complete(ReadRequest(url: part))
            try await store.setPinned(true, keys: [store.key(for: part)])
        }
    }

    private func pinned(_ names: String..., in store: CacheStore) async throws -> [String] {
        var pinned: [String] = []
        for name in names where try await store.resource(for: try ResourceURL(url(name)))?.isPinned == true {
            pinned.append(name)
        }
        return pinned
    }

    @Test func unpinsPartsMissingFromNewContents() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        try await cache("a.ts", "b.ts", "c.ts", in: store)
        let one = try await asset("one", parts: ["a.ts", "b.ts", "c.ts"], on: assetStore, store)
        _ = try await asset("two", parts: ["b.ts"], on: assetStore, store)
        try await resources(of: store, assetStore).replaceContents(of: one, with: contents("c.ts", "d.ts"))
        #expect(try await pinned("a.ts", "b.ts", "c.ts", in: store) == ["b.ts", "c.ts"])
        #expect(try await assetStore.contents(of: one.id) == contents("c.ts", "d.ts"))
        await store.close()
    }

    @Test func keepsContentsIfAnotherAssetIsUnreadable() async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        try await cache("a.ts", in: store)
        let one = try await asset("one", parts: ["a.ts"], on: assetStore, store)
        let two = try await asset("two", parts: ["a.ts"], on: assetStore, store)
        let all = FileManager.default.enumerator(atPath: fixture.folder)?.compactMap { $0 as? String } ?? []
        let file = try #require(all.first { $0.hasSuffix("\(two.id).contents") })
        try Data("something else".utf8).write(to: URL(filePath: "\(fixture.folder)/\(file)"))
        let resources = resources(of: store, assetStore)
        await #expect(throws: CacheError.self) { try await resources.replaceContents(of: one, with: contents("b.ts")) }
        #expect(try await assetStore.contents(of: one.id) == contents("a.ts"))
        #expect(try await pinned("a.ts", in: store) == ["a.ts"])
        await store.close()
    }
}
