import HTTPTypes
import MediaCache
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaLibrary

struct DownloadOrderTests {
    private let fixture = DownloadFixture()

    @Test func pauseStopsBytesAndResumeContinues() async throws {
        fixture.serveStream(segments: 3)
        let gate = ScriptedGate()
        fixture.next("1.ts", .holdBody(at: 1504, gate))
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.bytes == 1880 + 1504 }
            try await downloads.pause(asset.id)
            #expect(await downloads.status(of: asset.id)?.asset.download?.state == .paused)
            let sent = fixture.library.origin.requests
            #expect(sent.allSatisfy { $0.progress != .running })
            gate.open()
            try await downloads.pause(asset.id)
            try await downloads.resume(asset.id)
            try await downloads.resume(asset.id)
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
            // The download continued at the first missing byte.
            let last = try #require(fixture.library.origin.requests(for: fixture.url("1.ts")).last)
            #expect(last.headerFields[.range] == "bytes=1504-1879")
        }
    }

    @Test func staysPausedInNextProcess() async throws {
        fixture.serveStream(segments: 2)
        try await fixture.use { downloads in
            _ = try await downloads.add(DownloadRequest(url: fixture.entry, startsPaused: true))
        }
        try await fixture.use { downloads in
            let status = try #require(await downloads.statuses().first)
            #expect(status.asset.download?.state == .paused)
            #expect(fixture.requests(for: "0.ts") == 0)
            try await downloads.resume(status.asset.id)
            #expect(try await fixture.end(status.asset.id, of: downloads).state == .complete)
        }
    }

    @Test func addDuringCancelStartsNewDownload() async throws {
        fixture.serveStream(segments: 2)
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            #expect(try await fixture.end(id, of: downloads).state == .complete)
            // Either call may be handled first.
            async let cancellation: Void = downloads.cancel(id)
            _ = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            try? await cancellation
            let again = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            let state = try await fixture.end(again, of: downloads).state
            #expect(state == .complete)
        }
        #expect(try await fixture.isCached("0.ts"))
    }

    @Test func higherPriorityRunsFirst() async throws {
        let urls = (0..<3).map { fixture.url("\($0)/index.m3u8") }
        for url in urls { fixture.serveStream(segments: 2, in: url) }
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            var ids: [AssetID] = []
            for url in urls { ids.append(try await downloads.add(DownloadRequest(url: url, startsPaused: true)).id) }
            try await downloads.setPriority(5, of: ids[2])
            await downloads.resumeAll()
            for id in ids { #expect(try await fixture.end(id, of: downloads).state == .complete) }
        }
        let segments = fixture.library.origin.requests.map(\.url.description).filter { $0.hasSuffix(".ts") }
        #expect(segments.first?.contains("/2/") == true)
        #expect(segments.count == 6)
    }

    @Test func continuesAtPartRequestedByPlayer() async throws {
        fixture.serveStream(segments: 10)
        let gate = ScriptedGate()
        fixture.next("1.ts", .holdHead(gate))
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            await fixture.library.origin.wait { $0.contains { $0.url == fixture.url("1.ts") } }
            let contents = try #require(try await AssetStore(of: downloads.store).contents(of: id))
            let part = try #require(contents.parts.first { $0.url == fixture.url("7.ts").description })
            downloads.notePlayback(part.name, of: id)
            gate.open()
            #expect(try await fixture.end(id, of: downloads).state == .complete)
        }
        let segments = fixture.library.origin.requests.map(\.url).filter { $0.description.hasSuffix(".ts") }
        let expected = [0, 1, 7, 8, 9, 2, 3, 4, 5, 6].map { fixture.url("\($0).ts") }
        #expect(segments == expected)
    }

    @Test func cancelRemovesUnsharedResources() async throws {
        fixture.serveStream(segments: 2)
        let other = fixture.url("other.m3u8")
        fixture.library.serve("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n#EXT-X-ENDLIST\n", at: other)
        try await fixture.use { downloads in
            let first = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            let second = try await downloads.add(DownloadRequest(url: other)).id
            for id in [first, second] { #expect(try await fixture.end(id, of: downloads).state == .complete) }
            try await downloads.cancel(first)
            #expect(await downloads.statuses().map(\.asset.id) == [second])
            await #expect(throws: CacheError.self) { try await downloads.cancel(first) }
        }
        #expect(try await !fixture.isCached("0.ts"))
        #expect(try await fixture.isCached("1.ts"))
    }

    @Test func runsInRequestedOrder() async throws {
        let urls = (0..<4).map { fixture.url("\($0)/index.m3u8") }
        for url in urls { fixture.serveStream(segments: 1, in: url) }
        try await fixture.use(limits: DownloadLimits(assets: 1, transfersPerAsset: 1)) { downloads in
            var ids: [AssetID] = []
            for url in urls.prefix(3) {
                ids.append(try await downloads.add(DownloadRequest(url: url, startsPaused: true)).id)
            }
            try await downloads.setOrder([ids[2], ids[0], ids[1]])
            // A download added later runs after the others.
            ids.append(try await downloads.add(DownloadRequest(url: urls[3], startsPaused: true)).id)
            // An unknown download causes an error and changes nothing.
            await #expect(throws: CacheError.self) { try await downloads.setOrder([ids[1], AssetID(), ids[2]]) }
            await downloads.resumeAll()
            for id in ids { #expect(try await fixture.end(id, of: downloads).state == .complete) }
            let begun = fixture.library.origin.requests.map(\.url).filter { $0.description.hasSuffix("0.ts") }
            #expect(begun == [2, 0, 1, 3].map { fixture.url("\($0)/0.ts") })
            // Repeated calls don't raise the priorities.
            for _ in 0..<10 { try await downloads.setOrder(ids) }
            let priorities = await downloads.statuses().compactMap(\.asset.download?.priority)
            #expect(priorities.sorted() == [0, 1, 2, 3])
        }
    }

    @Test func ordersDownloadsWithGreatestPriority() async throws {
        try await fixture.use { downloads in
            var ids: [AssetID] = []
            for number in 0..<3 {
                var request = DownloadRequest(url: fixture.url("\(number).mp4"), startsPaused: true)
                request.priority = 1_000_000
                ids.append(try await downloads.add(request).id)
            }
            let order = [ids[1], ids[2], ids[0]]
            try await downloads.setOrder(order)
            var priorities: [Int?] = []
            for id in order { priorities.append(await downloads.status(of: id)?.asset.download?.priority) }
            #expect(priorities == [1_000_000, 999_999, 999_998])
        }
    }

    @Test func thousandRandomCallsLeaveNothingRunning() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        let urls = (0..<8).map { fixture.url("\($0)/index.m3u8") }
        for url in urls { fixture.serveStream(segments: 12, in: url) }
        try await fixture.use(limits: DownloadLimits(assets: 3, transfersPerAsset: 2)) { downloads in
            for _ in 0..<1000 {
                let url = urls[Int.random(in: 0..<urls.count, using: &random)]
                let known = await downloads.statuses().first { $0.asset.url == url.description }?.asset.id
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2: _ = try await downloads.add(DownloadRequest(url: url))
                case 3...4: if let known { try await downloads.pause(known) }
                case 5: if let known { try await downloads.resume(known) }
                case 6: if let known { try await downloads.setPriority(.random(in: 0..<3, using: &random), of: known) }
                case 7: if let known { try await downloads.cancel(known, keepingData: .random(using: &random)) }
                case 8: await downloads.pauseAll()
                default: await downloads.resumeAll()
                }
                for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
            }
            for url in urls {
                let asset = try await downloads.add(DownloadRequest(url: url))
                let state = try await fixture.end(asset.id, of: downloads).state
                #expect(state == .complete, "seed \(seed)")
            }
            #expect(fixture.library.origin.requests.allSatisfy { $0.progress != .running }, "seed \(seed)")
        }
    }
}
