import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// What somebody wants of a download.
struct DownloadWishTests {
    // MARK: - Ending a stream that grows

    private func serveGrowing(_ fixture: DownloadFixture) {
        fixture.library.serve(SamplePlaylist.live(from: 0, ["0.ts", "1.ts"]), at: fixture.entry)
        for number in 0..<2 { fixture.serve(DownloadFixture.packets(number), at: "\(number).ts") }
    }

    @Test func whatFollowsNoStreamIsLeftAlone() async throws {
        let fixture = DownloadFixture()
        let url = fixture.file(length: 10_000)
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: url, startsPaused: true)).id
            try await downloads.finish(id)
            #expect(await downloads.status(of: id)?.asset.download?.state == .paused)
            #expect(fixture.library.origin.requests.isEmpty)
            try await downloads.resume(id)
            #expect(try await fixture.end(id, of: downloads).state == .complete)
            try await downloads.finish(id)
            let download = try #require(await downloads.status(of: id)?.asset.download)
            #expect(download.state == .complete && download.endsAt == nil)
        }
    }

    @Test func aStreamThatWasPausedIsTakenAsItIs() async throws {
        let fixture = DownloadFixture()
        serveGrowing(fixture)
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            await fixture.progress(downloads, id) { $0.parts.done == 2 }
            try await downloads.pause(id)
            try await downloads.finish(id)
            #expect(try await fixture.end(id, of: downloads).state == .complete)
        }
    }

    @Test func aStreamWhosePlaylistIsGoneIsTakenAsItIs() async throws {
        let fixture = DownloadFixture()
        serveGrowing(fixture)
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            await fixture.progress(downloads, id) { $0.parts.done == 2 }
        }
        fixture.remove("index.m3u8")
        try await fixture.use { downloads in
            let id = try #require(await downloads.statuses().first?.asset.id)
            guard case .failed = try await fixture.end(id, of: downloads).state else {
                Issue.record("not failed")
                return
            }
            try await downloads.finish(id)
            let download = try await fixture.end(id, of: downloads)
            #expect(download.state == .complete)
            #expect(download.parts == .init(done: 2, total: 2))
        }
    }
}
