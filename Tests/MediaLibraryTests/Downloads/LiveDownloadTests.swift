import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

struct LiveDownloadTests {
    private let fixture = DownloadFixture()

    private func serve(from first: Int, _ numbers: Range<Int>, hasEnd: Bool = false) {
        let text = SamplePlaylist.live(from: first, numbers.map { "\($0).ts" }) + (hasEnd ? "#EXT-X-ENDLIST\n" : "")
        fixture.library.serve(text, at: fixture.entry, entityTag: "\"\(numbers)\(hasEnd)\"")
        for number in numbers { fixture.serve(DownloadFixture.packets(number), at: "\(number).ts") }
    }

    /// Downloads the live stream, and calls `body` once its first three segments are complete.
    private func record(_ body: (Downloads, Asset) async throws -> Void) async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
            try await body(downloads, asset)
        }
    }

    @Test func keepsSegmentsThatLeaveWindow() async throws {
        try await record { downloads, asset in
            serve(from: 2, 2..<6)
            await fixture.progress(downloads, asset.id) { $0.parts.done == 6 }
            serve(from: 4, 4..<8, hasEnd: true)
            let download = try await fixture.expectCompletion(of: asset.id, downloads, parts: 8)
            #expect(download.notes.isEmpty)
            #expect(await downloads.status(of: asset.id)?.asset.duration == 48)
        }
        for number in 0..<8 { #expect(fixture.requests(for: "\(number).ts") == 1) }
    }

    /// The origin's first playlist rarely begins with number 0.
    @Test func countsOnlySegmentsSeenInPlaylists() async throws {
        serve(from: 250_000, 250_000..<250_003)
        fixture.always("250002.ts", .status(404))
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 2 }
            #expect(await downloads.status(of: asset.id)?.progress.parts == .init(done: 2, total: 3))
        }
    }

    @Test func completesUnchangedPlaylistWithoutEndList() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let download = try await fixture.download(fixture.entry, with: downloads)
            #expect(download.state == .complete)
            #expect(download.parts == .init(done: 3, total: 3))
            #expect(download.notes.contains { $0.text.contains("EXT-X-ENDLIST") })
        }
    }

    /// A single playlist with EXT-X-ENDLIST doesn't end the download of a stream that continues.
    @Test func continuesAfterFalseEndList() async throws {
        try await record { downloads, asset in
            serve(from: 1, 1..<4, hasEnd: true)
            let recording = try #require(downloads.recording(of: asset.id))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 4 }
            #expect(await recording.hasEndList)
            let seen = fixture.library.time.monotonic
            while await recording.isRunning, fixture.library.time.monotonic - seen < .seconds(5) {
                await fixture.pass(downloads, asset.id)
            }
            serve(from: 2, 2..<6)
            await fixture.progress(downloads, asset.id) { $0.parts.done == 6 }
            serve(from: 3, 3..<7, hasEnd: true)
            try await fixture.expectCompletion(of: asset.id, downloads, parts: 7)
        }
    }

    /// The event has ended, and its origin has removed all files.
    @Test(arguments: [404, 403, 500]) func endsWhenPlaylistIsRemovedWhileSegmentIsAwaited(status: Int) async throws {
        serve(from: 0, 0..<3)
        fixture.always("2.ts", .status(status))
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 2 }
            fixture.always("index.m3u8", .status(404))
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.state == .completeWithHoles)
            #expect(download.parts == .init(done: 2, total: 2))
            #expect(download.holes.map(\.start) == [12])
        }
    }

    /// The origin responds with 404 for minutes during a deployment.
    @Test func continuesWhenPlaylistReturns() async throws {
        try await record { downloads, asset in
            fixture.always("index.m3u8", .status(404))
            let gone = fixture.library.time.monotonic
            let recording = try #require(downloads.recording(of: asset.id))
            while await recording.isRunning, fixture.library.time.monotonic - gone < .seconds(200) {
                await fixture.pass(downloads, asset.id)
            }
            fixture.library.origin.clearFaults(fixture.entry)
            serve(from: 2, 2..<6, hasEnd: true)
            try await fixture.expectCompletion(of: asset.id, downloads, parts: 6)
        }
    }

    @Test func endsAfterRequestedTime() async throws {
        serve(from: 0, 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry, followsFor: .seconds(5)))
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.state == .complete)
            #expect(download.notes.contains { $0.text.contains("still live") })
        }
    }

    @Test func listsMissedSegmentsAsOneHole() async throws {
        try await record { downloads, asset in
            serve(from: 5, 5..<7, hasEnd: true)
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.parts == .init(done: 5, total: 5))
            #expect(download.state == .completeWithHoles)
            #expect(download.holes.map(\.start) == [18])
            // Adding the download again reports the hole again.
            _ = try await downloads.add(DownloadRequest(url: fixture.entry))
            let again = try await fixture.end(asset.id, of: downloads)
            #expect(again.state == .completeWithHoles && again.holes == download.holes)
        }
    }

    @Test func listsSegmentsMissedBeforePause() async throws {
        try await record { downloads, asset in
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

    @Test func continuesInNextProcess() async throws {
        try await record { _, _ in }
        serve(from: 2, 2..<5, hasEnd: true)
        try await fixture.use { downloads in
            let id = try #require(await downloads.statuses().first?.asset.id)
            try await fixture.expectCompletion(of: id, downloads, parts: 5)
        }
        #expect(fixture.requests(for: "0.ts") == 1)
    }

    /// The download's cache key doesn't include the token.
    @Test func usesNewURLWhenAddedAgain() async throws {
        let fixture = DownloadFixture(keyPolicy: .dropping(queryItems: ["token"]))
        func serve(_ token: String, _ numbers: Range<Int>, hasEnd: Bool = false) {
            let text = SamplePlaylist.live(from: 0, numbers.map { "\($0).ts" }) + (hasEnd ? "#EXT-X-ENDLIST\n" : "")
            fixture.library.serve(text, at: fixture.url("index.m3u8?token=\(token)"), entityTag: "\"\(token)\"")
            for number in numbers { fixture.serve(DownloadFixture.packets(number), at: "\(number).ts") }
        }
        serve("old", 0..<3)
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.url("index.m3u8?token=old")))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 3 }
            fixture.always("index.m3u8?token=old", .status(403))
            serve("new", 0..<6, hasEnd: true)
            let again = try await downloads.add(DownloadRequest(url: fixture.url("index.m3u8?token=new")))
            #expect(again.id == asset.id)
            try await fixture.expectCompletion(of: asset.id, downloads, parts: 6)
        }
        for number in 0..<6 { #expect(fixture.requests(for: "\(number).ts") == 1) }
    }

    /// CDN nodes may serve an older copy of the playlist.
    @Test func recordsEachSegmentOnceDespiteStaleCopies() async throws {
        try await record { downloads, asset in
            serve(from: 2, 2..<6)
            await fixture.progress(downloads, asset.id) { $0.parts.done == 6 }
            serve(from: 4, 4..<8)
            await fixture.progress(downloads, asset.id) { $0.parts.done == 8 }
            let loads = fixture.requests(for: "index.m3u8")
            serve(from: 0, 0..<3)
            await fixture.progress(downloads, asset.id) { _ in fixture.requests(for: "index.m3u8") >= loads + 2 }
            serve(from: 6, 6..<10, hasEnd: true)
            try await fixture.expectCompletion(of: asset.id, downloads, parts: 10)
            let contents = try #require(try await AssetStore(of: downloads.store).contents(of: asset.id))
            #expect(contents.duration == 60 && !contents.isGrowing)
        }
        for number in 0..<10 { #expect(fixture.requests(for: "\(number).ts") == 1) }
    }

    /// After the requested end, only the asset's parts remain of the recording. They are removed with the asset.
    @Test func endsOnRequestAndRemovesRecording() async throws {
        try await record { downloads, asset in
            #expect(try await downloads.store.sideFolder("live-downloads").names().count == 1)
            let recording = try #require(downloads.recording(of: asset.id))
            try await downloads.finish(asset.id)
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
            #expect(downloads.recording(of: asset.id) == nil)
            #expect(try await downloads.store.sideFolder("live-downloads").names() == [])
            #expect(try await downloads.store.sideFolder("recordings/\(recording.id)").names() == [])
            let cached = try await downloads.store.resources().filter { $0.key.hasPrefix("recording/") }
            #expect(cached.count == 3 && cached.allSatisfy(\.isPinned))
            try await downloads.removeAsset(asset.id)
            #expect(try await downloads.store.resources().filter { $0.key.hasPrefix("recording/") }.isEmpty)
        }
    }

    @Test func removesRecordingWithUnfinishedDownload() async throws {
        try await record { downloads, asset in
            try await downloads.cancel(asset.id)
            #expect(try await downloads.store.sideFolder("live-downloads").names() == [])
            #expect(try await downloads.store.resources().filter { $0.key.hasPrefix("recording/") }.isEmpty)
        }
    }

    /// The contents end before the awaited segment.
    @Test func cancelKeepsOnlyListedSegments() async throws {
        serve(from: 0, 0..<3)
        fixture.always("1.ts", .status(404))
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 2 }
            try await downloads.cancel(asset.id, keepingData: true)
            let contents = try #require(try await AssetStore(of: downloads.store).contents(of: asset.id))
            let cached = try await downloads.store.resources().filter { $0.key.hasPrefix("recording/") }
            #expect(cached.map(\.key) == contents.parts.compactMap(\.storedAs))
            #expect(cached.count == 1 && !cached.contains(where: \.isPinned))
        }
    }

    /// A paused download can be played to the end of the recorded part.
    @Test func isPlayableWhilePaused() async throws {
        try await record { downloads, asset in
            try await downloads.pause(asset.id)
            let contents = try #require(try await AssetStore(of: downloads.store).contents(of: asset.id))
            #expect(contents.isGrowing && contents.parts.count == 3)
            serve(from: 1, 1..<4, hasEnd: true)
            try await downloads.resume(asset.id)
            try await fixture.expectCompletion(of: asset.id, downloads, parts: 4)
        }
    }

    /// Contents stored by earlier versions refer to the segments by URL.
    @Test func completesLiveDownloadFromEarlierVersion() async throws {
        serve(from: 0, 0..<3)
        let store = try await fixture.library.open()
        let assetStore = AssetStore(of: store)
        let settings = try Downloads.storeSettings(store)(fixture.entry, nil, [:])
        let key = store.key(of: ReadRequest(url: fixture.entry, settings: settings))
        var asset = Asset(key: key, url: fixture.entry.description, created: store.now)
        asset.download = Download(added: store.now)
        asset = try await assetStore.add(asset)
        try await assetStore.updateRecord(from: asset)
        var contents = AssetContents(
            playlists: [.init(name: "index.m3u8", url: fixture.entry.description, text: "#EXTM3U\n")],
            parts: (0..<3).map {
                AssetPart(role: .mediaSegment, name: "media-1/\($0).ts", url: fixture.url("\($0).ts").description)
            })
        contents.isGrowing = true
        try await assetStore.setContents(contents, of: asset.id)
        await store.close()
        try await fixture.use { downloads in
            let download = try await fixture.expectCompletion(of: asset.id, downloads, parts: 3)
            #expect(download.notes.contains { $0.text.contains("earlier version") })
        }
    }

    /// The sizes of small files just before they are replaced.
    private final class ReplacedFiles: Sendable {
        private let sizes = Mutex<[Int]>([])

        func add(_ path: String) {
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            sizes.withLock { $0.append((size ?? nil) ?? 0) }
        }

        /// Returns the number of files replaced since the last call, and the size of the largest.
        func take() -> (count: Int, largest: Int) {
            sizes.withLock { sizes in
                defer { sizes = [] }
                return (sizes.count, sizes.max() ?? 0)
            }
        }
    }

    /// The cost of a segment doesn't depend on the number of segments before it. The total number of bytes written
    /// isn't compared, because segments that complete at the same time are written together.
    @Test func writesConstantAmountPerSegment() async throws {
        let replaced = ReplacedFiles()
        let fixture = DownloadFixture(files: HookedFileSystem { if $0 == .replacing { replaced.add($1) } })
        // A page of the timeline has 256 segments, so each quarter of the stream fills a page.
        let (quarter, step) = (256, 64)
        var quarters: [(count: Int, largest: Int)] = []
        try await fixture.use { downloads in
            var id: AssetID?
            for last in stride(from: step, through: 4 * quarter, by: step) {
                let names = (max(0, last - 2 * step)..<last).map { "\($0).ts" }
                for number in (last - step)..<last {
                    fixture.serve(DownloadFixture.packets(number, count: 4), at: "\(number).ts")
                }
                fixture.library.serve(
                    SamplePlaylist.live(from: max(0, last - 2 * step), names), at: fixture.entry,
                    entityTag: "\"\(last)\"")
                let asset: AssetID
                if let id { asset = id } else { asset = try await downloads.add(.init(url: fixture.entry)).id }
                id = asset
                await fixture.progress(downloads, asset) { $0.parts.done == last }
                if last % quarter == 0 { quarters.append(replaced.take()) }
            }
        }
        let (second, fourth) = (quarters[1], quarters[3])
        #expect(Double(fourth.largest) < 1.2 * Double(second.largest), "\(quarters)")
        // At most one write for each received segment and for each playlist, and a few for state changes.
        for quarter in quarters { #expect(quarter.count < 2 * 256, "\(quarters)") }
    }

    /// Another selection would replace media that can't be fetched again, whether the download is being recorded,
    /// paused or complete.
    @Test func refusesAnotherSelectionForLiveDownload() async throws {
        try await record { downloads, asset in
            for step in 0..<3 {
                if step == 1 { try await downloads.pause(asset.id) }
                if step == 2 {
                    try await downloads.finish(asset.id)
                    #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
                }
                let error = await #expect(throws: CacheError.self) {
                    _ = try await downloads.add(
                        DownloadRequest(url: fixture.entry, selection: StreamSelection(variants: .worst)))
                }
                #expect(error?.code == .invalidSetting)
                #expect(error?.message.contains("end the recording") == true)
                guard step > 0 else { continue }
                let stored = try await downloads.store.resources().filter { $0.key.hasPrefix("recording/") }
                #expect(stored.count == 3 && stored.allSatisfy(\.isPinned))
            }
            let download = try #require(await downloads.status(of: asset.id)?.asset.download)
            #expect(download.state == .complete && download.selection == asset.download?.selection)
        }
    }
}
