import MediaCache
import MediaCacheTesting
import MediaContainers
import Testing

@testable import MediaLibrary

struct AssetMarksTests {
    private let fixture = LibraryFixture()

    private func withAsset(
        duration: Double?, _ body: (AssetStore, AssetID) async throws -> Void
    ) async throws {
        let store = try await fixture.open()
        let assetStore = AssetStore(of: store)
        let url = try ResourceURL("http://origin.example/film.mp4")
        fixture.origin[url] = ScriptedResource(.random(seed: 1, length: 1000), contentType: "video/mp4")
        let asset = try await assetStore.add(try await store.complete(ReadRequest(url: url)))
        if let duration {
            var found = FileMetadata(MediaMetadata())
            found.duration = duration
            try await assetStore.setMetadata(found, of: asset.id)
        }
        try await body(assetStore, asset.id)
        await store.close()
    }

    @Test(arguments: [(100, nil), (nil, 100)] as [(Double?, Double?)])
    func continuesAtPositionUntilWatched(duration: Double?, total: Double?) async throws {
        try await withAsset(duration: duration) { (assetStore, id) async throws in
            func asset(at seconds: Double) async throws -> Asset {
                try await assetStore.setMarks(AssetMarks(position: seconds, duration: total), of: id)
            }
            #expect(try await asset(at: 4.9).position == nil)
            let half = try await asset(at: 50)
            #expect(half.position == 50 && half.watched == nil && half.positionChanged != nil)
            let end = try await asset(at: 95)
            #expect(end.position == nil && end.watched != nil)
            // Watching an asset again doesn't remove its mark.
            let again = try await asset(at: 20)
            #expect(again.position == 20 && again.watched == end.watched)
            #expect(try await assetStore.setMarks(AssetMarks(watched: false), of: id).watched == nil)
        }
    }

    @Test func keepsPositionInFileOfUnknownDuration() async throws {
        try await withAsset(duration: nil) { (assetStore, id) async throws in
            #expect(try await assetStore.setMarks(AssetMarks(position: 1e9), of: id).position == 1e9)
        }
    }

    @Test func normalizesTagsAndRemovesAll() async throws {
        try await withAsset(duration: nil) { (assetStore, id) async throws in
            let marks = AssetMarks(tags: [" family ", "", "a\u{1B}b", "family"])
            #expect(try await assetStore.setMarks(marks, of: id).tags == ["family", "a b"])
            #expect(try await assetStore.setMarks(AssetMarks(position: 9), of: id).tags == ["family", "a b"])
            #expect(try await assetStore.setMarks(AssetMarks(tags: []), of: id).tags == nil)
        }
    }

    @Test func refusesUnknownAsset() async throws {
        try await withAsset(duration: nil) { (assetStore, id) async throws in
            try await assetStore.remove(id)
            await #expect(throws: CacheError.self) { try await assetStore.setMarks(AssetMarks(watched: true), of: id) }
        }
    }
}
