import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

struct DownloadsTests {
    private let fixture = DownloadFixture()

    @Test func downloadsStreamAndReportsProgress() async throws {
        fixture.serveStream(segments: 5)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            let status = try #require(await downloads.ended(asset.id))
            #expect(status.asset.download?.state == .complete)
            #expect(status.progress.parts == .init(done: 5, total: 5))
            #expect(status.progress.bytes == 5 * 1880)
            #expect(status.asset.kind == .stream)
            #expect(status.asset.duration == 30)
        }
        for number in 0..<5 { #expect(fixture.requests(for: "\(number).ts") == 1) }
    }

    @Test func downloadsFile() async throws {
        let url = fixture.file(length: 3_000_000)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: url))
            let status = try #require(await downloads.ended(asset.id))
            #expect(status.asset.download?.state == .complete)
            #expect(status.progress.bytes == 3_000_000)
            #expect(status.asset.title == "film")
        }
    }

    /// A subscriber may read the asset as soon as it receives the event.
    @Test func reportsCompletionAfterWritingRecord() async throws {
        fixture.serveStream(segments: 2)
        try await fixture.use { downloads in
            let completions = downloads.events { if case .state(_, .complete) = $0 { true } else { false } }
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            for await _ in completions { break }
            let asset = try await downloads.assetStore.requireAsset(id)
            #expect(asset.download?.state == .complete)
            #expect(asset.kind == .stream)
        }
    }

    /// A background transfer may be receiving a part.
    @Test func waitsForTransfersOutsideStoreBeforeRequestingParts() async throws {
        fixture.serveStream(segments: 3)
        let origin = fixture.library.origin
        let wasRequested = Mutex<[ResourceURL: Bool]>([:])
        let wait: @Sendable (ResourceURL) async -> Void = { url in
            let isRequested = origin.requests.contains { $0.url == url }
            wasRequested.withLock { $0[url] = isRequested }
        }
        try await fixture.use(waitForTransfers: wait) { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            #expect(await downloads.ended(asset.id)?.asset.download?.state == .complete)
        }
        var expected: [ResourceURL: Bool] = [:]
        for number in 0..<3 { expected[fixture.url("\(number).ts")] = false }
        #expect(wasRequested.withLock { $0 } == expected)
    }

    @Test func doesNotRequestCompleteParts() async throws {
        fixture.serveStream(segments: 3)
        for _ in 0..<2 {
            try await fixture.use { downloads in
                let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
                #expect(await downloads.ended(asset.id)?.asset.download?.state == .complete)
            }
        }
        for number in 0..<3 { #expect(fixture.requests(for: "\(number).ts") == 1) }
    }
}
