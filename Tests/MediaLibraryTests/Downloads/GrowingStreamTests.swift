import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Streams whose playlists grow while they are downloaded.
struct GrowingStreamTests {
    private let fixture = DownloadFixture()

    private func serve(from first: Int, _ numbers: Range<Int>, hasEnd: Bool = false) {
        let text = SamplePlaylist.live(from: first, numbers.map { "\($0).ts" }) + (hasEnd ? "#EXT-X-ENDLIST\n" : "")
        fixture.library.serve(text, at: fixture.entry, entityTag: "\"\(numbers)\(hasEnd)\"")
        for number in numbers { fixture.serve(DownloadFixture.packets(number), at: "\(number).ts") }
    }

    @Test func whatLeavesTheWindowStays() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
            serve(from: 2, 2..<6)
            await fixture.progress(downloads, asset.id) { $0.parts.done == 6 }
            serve(from: 4, 4..<8, hasEnd: true)
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.state == .complete)
            #expect(download.parts == .init(done: 8, total: 8))
            #expect(download.notes.isEmpty)
            #expect(await downloads.status(of: asset.id)?.asset.duration == 48)
        }
        for number in 0..<8 { #expect(fixture.requests(for: "\(number).ts") == 1) }
    }

    @Test func onDemandWithoutItsEndIsTakenAsItIs() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let download = try await fixture.download(fixture.entry, with: downloads)
            #expect(download.state == .complete)
            #expect(download.parts == .init(done: 3, total: 3))
            #expect(download.notes.contains { $0.text.contains("EXT-X-ENDLIST") })
        }
    }

    @Test func somebodyEndsIt() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
            try await downloads.finish(asset.id)
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
    }

    @Test func itIsFollowedForAsLongAsAskedFor() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry, followsFor: .seconds(5)))
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.state == .complete)
            #expect(download.notes.contains { $0.text.contains("still growing") })
        }
    }

    @Test func whatWasMissedIsTold() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
            serve(from: 5, 5..<7, hasEnd: true)
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.parts == .init(done: 5, total: 5))
            #expect(download.notes.contains { $0.text.hasPrefix("2 segments") })
            #expect(download.state == .completeWithHoles)
            #expect(download.holes.map(\.start) == [18])
            // Asked for again, it lacks what it lacked.
            _ = try await downloads.add(DownloadRequest(url: fixture.entry))
            let again = try await fixture.end(asset.id, of: downloads)
            #expect(again.state == .completeWithHoles && again.holes == download.holes)
        }
    }

    @Test func whatWasMissedBeforeAPauseIsTold() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
            serve(from: 5, 5..<7)
            await fixture.progress(downloads, asset.id) { $0.parts.done == 5 }
            try await downloads.pause(asset.id)
            serve(from: 5, 5..<8, hasEnd: true)
            try await downloads.resume(asset.id)
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.parts == .init(done: 6, total: 6))
            #expect(download.state == .completeWithHoles)
            #expect(download.holes.map(\.start) == [18])
        }
    }

    @Test func theNextProcessGoesOnWithIt() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
        }
        serve(from: 2, 2..<5, hasEnd: true)
        try await fixture.use { downloads in
            let id = try #require(await downloads.statuses().first?.asset.id)
            let download = try await fixture.end(id, of: downloads)
            #expect(download.state == .complete)
            #expect(download.parts == .init(done: 5, total: 5))
        }
        #expect(fixture.requests(for: "0.ts") == 1)
    }
}
