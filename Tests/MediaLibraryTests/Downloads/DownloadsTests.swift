import MediaCache
import MediaCacheTesting
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
