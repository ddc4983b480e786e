import HTTPTypes
import MediaCacheTesting
import Testing

@testable import MediaCache
@testable import MediaLibrary

/// Tests of downloads from faulty origins. The downloads complete, list the missing parts, wait, or fail.
@Suite(.timeLimit(.minutes(60)))
struct DownloadFaultTests {
    private let fixture = DownloadFixture()

    init() { fixture.serveStream(segments: 3) }

    private func download() async throws -> Download {
        var ended: Download?
        try await fixture.use { downloads in ended = try await fixture.download(fixture.entry, with: downloads) }
        return try #require(ended)
    }

    /// Returns the only hole of a download of three segments, which is the second segment.
    private func hole(in download: Download) throws -> DownloadHole {
        #expect(download.state == .completeWithHoles)
        #expect(download.holeCount == 1)
        let hole = try #require(download.holes.first)
        #expect(hole.url.hasSuffix("/1.ts") && hole.start == 6 && hole.duration == 6)
        #expect(download.parts == .init(done: 2, total: 3))
        return hole
    }

    /// The user plays a segment at a local address to which a public playlist refers. Both reads wait for the same
    /// response.
    @Test func doesNotShareFillThatScopeForbids() async throws {
        let inner = try ResourceURL("http://nas.example/1.ts")
        fixture.library.origin[inner] = ScriptedResource(
            .bytes(DownloadFixture.packets(1)), contentType: "video/mp2t", peer: .local)
        let gate = ScriptedGate()
        fixture.library.origin.next(inner, .holdHead(gate))
        let store = try await fixture.library.open()
        let played = Task { try await store.fill(ReadRequest(url: inner)) }
        await gate.waitForArrivals()
        var part = AssetPart(role: .mediaSegment, name: "media-1/1.ts", url: "\(inner)")
        part.scope = .publicOnly
        let request = try part.request(settings: store.transfers)
        let fetched = Task { [part] in try await PartFetch(store: store).fill(part, request) }
        while store.table[store.key(for: inner)]?.state.withLock({ $0.opening })?.waiterCount != 2 {
            try await Task.yieldUnlessCancelled()
        }
        // Bytes requested before the second access check must be confirmed by the origin.
        fixture.library.time.advance(by: .seconds(1))
        gate.open()
        #expect(try await played.value.isComplete)
        let error = await #expect(throws: CacheError.self) { try await fetched.value }
        #expect(error?.code == .forbiddenAddress)
        await store.close()
    }

    @Test(arguments: [
        ScriptedFault.bodyShorter(by: 100), .page(), .wrongContentRange(start: 8, end: 8), .redirect(to: "1.ts"),
    ])
    func listsSegmentThatAlwaysFails(fault: ScriptedFault) async throws {
        fixture.always("1.ts", fault)
        _ = try hole(in: try await download())
    }

    @Test func listsMissingSegment() async throws {
        fixture.remove("1.ts")
        let hole = try hole(in: try await download())
        #expect(hole.reason.contains("404"))
    }

    @Test(arguments: [ScriptedFault.bodyShorter(by: 100), .page()])
    func retriesSegmentThatFailsOnce(fault: ScriptedFault) async throws {
        fixture.next("1.ts", fault)
        #expect(try await download().state == .complete)
    }

    @Test func retriesBusyServer() async throws {
        fixture.next("1.ts", .status(503))
        #expect(try await download().state == .complete)
        #expect(fixture.requests(for: "1.ts") == 2)
    }

    @Test(arguments: [
        "<!DOCTYPE html><html><body>Log in</body></html>", "{\"error\": \"expired\"}", "#EXTM3U\n#EXTINF:6,\n0.ts\n",
        "",
        "Sorry, not here.",
    ])
    func listsTextWithMediaTypeOfSegment(_ text: String) async throws {
        fixture.serve(Array(text.utf8), at: "1.ts")
        let hole = try hole(in: try await download())
        #expect(!hole.reason.isEmpty)
        // The response is removed so that it isn't served as media.
        #expect(try await fixture.isCached("1.ts") == false)
    }

    @Test func acceptsIgnoredRanges() async throws {
        fixture.always("1.ts", .ignoresRange)
        #expect(try await download().state == .complete)
    }

    @Test func resolvesAgainstRedirectedURL() async throws {
        fixture.always("index.m3u8", .redirect(to: "moved/index.m3u8"))
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXT-X-ENDLIST\n", at: fixture.url("moved/index.m3u8"))
        fixture.serve(DownloadFixture.packets(9), at: "moved/a.ts")
        #expect(try await download().state == .complete)
        #expect(fixture.requests(for: "moved/a.ts") == 1)
    }

    @Test func failsWithoutPlaylist() async throws {
        fixture.remove("index.m3u8")
        let failure = try #require(try await download().state.failure)
        #expect(failure.message.contains("404"))
        #expect(!failure.isRetryable)
    }

    @Test func failsWithoutSegments() async throws {
        fixture.library.serve("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-ENDLIST\n", at: fixture.entry)
        let failure = try #require(try await download().state.failure)
        #expect(failure.message.contains("no media segment"))
    }

    /// A public playlist refers to a file at a local address, which the user has played or downloaded.
    @Test(arguments: [false, true])
    func listsCachedFileAtLocalAddress(isPinned: Bool) async throws {
        let inner = try ResourceURL("http://nas.example/1.ts")
        fixture.library.origin[inner] = ScriptedResource(
            .bytes(DownloadFixture.packets(1)), entityTag: "\"1\"", contentType: "video/mp2t", peer: .local)
        let store = try await fixture.library.open()
        var request = ReadRequest(url: inner)
        request.pins = isPinned
        _ = try await store.fill(request)
        await store.close()
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n#EXTINF:6,\n\(inner)\n#EXTINF:6,\n2.ts\n#EXT-X-ENDLIST\n",
            at: fixture.entry)
        let hole = try hole(in: try await download())
        #expect(hole.reason.contains("local address"), "\(hole.reason)")
    }

    private func serveRanges(_ bytes: [UInt8]) {
        fixture.library.serve(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXTINF:6,
            #EXT-X-BYTERANGE:1880@0
            all.ts
            #EXTINF:6,
            #EXT-X-BYTERANGE:1880@1880
            all.ts
            #EXT-X-ENDLIST

            """, at: fixture.entry)
        fixture.serve(bytes, at: "all.ts")
    }

    @Test func listsRangeBeyondEndOfFile() async throws {
        serveRanges(DownloadFixture.packets(1, count: 15))
        let download = try await download()
        #expect(download.state == .completeWithHoles)
        #expect(download.holes.map(\.start) == [6])
        // A second download reports the range as missing, too.
        #expect(try await self.download().state == .completeWithHoles)
    }

    @Test func listsOnlyRangeThatIsNotMedia() async throws {
        serveRanges(
            DownloadFixture.packets(1) + Array("<!DOCTYPE html><html>".utf8) + Array(repeating: 0x20, count: 1859))
        for _ in 0..<2 {
            let download = try await download()
            #expect(download.state == .completeWithHoles)
            #expect(download.holes.map(\.start) == [6])
            #expect(download.parts == .init(done: 1, total: 2))
        }
    }

    @Test func acceptsExtremeTimesAndLengths() async throws {
        fixture.library.serve(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXTINF:0.000000001,
            0.ts
            #EXTINF:0.000000001,
            1.ts
            #EXTINF:0.000000001,
            2.ts
            #EXTINF:9000000000,
            3.ts
            #EXT-X-BYTERANGE:9000000000000000000@0
            #EXTINF:6,
            4.ts
            #EXT-X-ENDLIST

            """, at: fixture.entry)
        #expect(try await download().state == .completeWithHoles)
    }

    private func serveEncrypted(key: [UInt8]?) {
        fixture.library.serve(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-KEY:METHOD=AES-128,URI="one.key"
            #EXTINF:6,
            a.ts
            #EXT-X-ENDLIST

            """, at: fixture.entry)
        fixture.serve(Array(repeating: 0xA7, count: 1600), at: "a.ts")
        if let key { fixture.serve(key, at: "one.key", type: "application/octet-stream") }
    }

    @Test(arguments: [([1, 2, 3, 4, 5], "5 bytes"), (nil, "404")] as [([UInt8]?, String)])
    func failureIdentifiesUnusableKey(key: [UInt8]?, reason: String) async throws {
        serveEncrypted(key: key)
        let failure = try #require(try await download().state.failure)
        #expect(failure.message.contains("one.key") && failure.message.contains(reason))
    }

    @Test func failsForTruncatedEncryptedSegment() async throws {
        serveEncrypted(key: Array(1...16))
        fixture.serve(Array(repeating: 0xA7, count: 1601), at: "a.ts")
        let failure = try #require(try await download().state.failure)
        #expect(failure.message.contains("1601"))
    }

    @Test func decodesContentCoding() async throws {
        fixture.serve(CompressedSample.stored(DownloadFixture.packets(1)), at: "1.ts")
        fixture.always("1.ts", .contentEncoding("gzip"))
        #expect(try await download().state == .complete)
    }

    @Test(arguments: [
        (CompressedSample.stored(DownloadFixture.packets(1)), "video/mp2t"),
        (WrappedSample.png + DownloadFixture.packets(1), "image/png"),
    ])
    func detectsWrappedSegment(bytes: [UInt8], type: String) async throws {
        fixture.serve(bytes, at: "1.ts", type: type)
        let download = try await download()
        #expect(download.state == .complete)
        #expect(download.notes.map(\.url) == [fixture.url("1.ts").description])
    }

    @Test func listsPictureWithoutSegment() async throws {
        fixture.serve([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array(repeating: 7, count: 600), at: "1.ts")
        _ = try hole(in: try await download())
    }

    @Test func acceptsEmptySubtitles() async throws {
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.vtt\n#EXTINF:6,\n1.vtt\n#EXT-X-ENDLIST\n",
            at: fixture.entry)
        fixture.serve(Array("WEBVTT\n".utf8), at: "0.vtt", type: "text/vtt")
        fixture.serve([], at: "1.vtt", type: "text/vtt")
        let download = try await download()
        #expect(download.state == .complete, "\(download.holes)")
    }

    /// More free space wouldn't help, so the segment becomes a hole and doesn't block the others.
    @Test func listsSegmentThatMustNotBeStored() async throws {
        fixture.library.origin[fixture.url("1.ts")] = ScriptedResource(
            .bytes(DownloadFixture.packets(1)), entityTag: "\"1\"", contentType: "video/mp2t",
            headerFields: [.vary: "Cookie"])
        let hole = try hole(in: try await download())
        #expect(hole.reason.contains("Vary"))
    }

    /// The response with the rest of a partial segment forbids storing it.
    @Test func listsSegmentWhoseRestMustNotBeStored() async throws {
        // The connection is reset after the bytes that identify the format.
        fixture.serve(DownloadFixture.packets(1, count: 500), at: "1.ts")
        fixture.next("1.ts", .reset(after: 50_000))
        fixture.always("1.ts", .headerFields([.vary: "Cookie"]))
        _ = try hole(in: try await download())
    }

    /// Removes the complete first part during a download, and runs `body`. The download continues when the gate opens.
    private func removingFirstPart(_ body: (Downloads, Asset, ScriptedGate) async throws -> Void) async throws {
        let gate = ScriptedGate()
        fixture.next("2.ts", .holdHead(gate))
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await fixture.progress(downloads, asset.id) { $0.parts.done == 2 }
            let first = try #require(try await downloads.store.resource(for: fixture.url("0.ts")))
            _ = try await downloads.store.remove(id: first.id)
            try await body(downloads, asset, gate)
        }
    }

    @Test func refetchesPartRemovedDuringDownload() async throws {
        try await removingFirstPart { (downloads: Downloads, asset: Asset, gate: ScriptedGate) async throws -> Void in
            gate.open()
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
            #expect(try await downloads.store.resource(for: fixture.url("0.ts"))?.isComplete == true)
        }
        #expect(fixture.requests(for: "0.ts") == 2)
    }

    @Test func partRemovedDuringDownloadIsMissingIfItCannotBeRefetched() async throws {
        try await removingFirstPart { (downloads: Downloads, asset: Asset, gate: ScriptedGate) async throws -> Void in
            fixture.always("0.ts", .status(404))
            gate.open()
            let download = try await fixture.end(asset.id, of: downloads)
            #expect(download.state == .completeWithHoles && download.parts == .init(done: 2, total: 3))
            #expect(!download.isLengthExact && download.bytes == 2 * 1880)
        }
    }

    @Test func waitsForSuspendedStore() async throws {
        try await fixture.use { downloads in
            let gate = ScriptedGate()
            fixture.next("index.m3u8", .holdHead(gate))
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            await gate.waitForArrivals()
            await downloads.store.suspend()
            gate.open()
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .cache)
            try await downloads.store.resume()
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
    }

    @Test func waitsForRetryAfter() async throws {
        fixture.next("1.ts", .status(503, retryAfter: "120"))
        try await fixture.use { downloads in
            let asset = try await downloads.add(DownloadRequest(url: fixture.entry))
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .retryAfter)
            fixture.library.time.advance(by: .seconds(121))
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
    }

    /// The playlist declares a much higher bit rate than that of its media, as many do.
    @Test func startsDownloadWhoseEstimatedLengthExceedsLimit() async throws {
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=8000000000\nindex.m3u8\n", at: fixture.url("main.m3u8"))
        try await fixture.use { downloads in
            try await downloads.store.setLimits(CacheLimits(maximumBytes: 64 << 20, minimumFreeBytes: 0))
            let download = try await fixture.download(fixture.url("main.m3u8"), with: downloads)
            #expect(download.state == .complete)
        }
    }

    /// The disk fills up during the download, which may fit within the cache limit nevertheless.
    @Test func waitsForSpaceIfEstimatedLengthExceedsLimit() async throws {
        fixture.library.serve(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=8000000000\nindex.m3u8\n", at: fixture.url("main.m3u8"))
        try await fixture.use { downloads in
            let store = await downloads.store
            try await store.setLimits(CacheLimits(maximumBytes: 64 << 20, minimumFreeBytes: 0))
            let gate = ScriptedGate()
            fixture.next("0.ts", .holdHead(gate))
            let asset = try await downloads.add(DownloadRequest(url: fixture.url("main.m3u8")))
            await gate.waitForArrivals()
            store.engine.health.failedForGood(CacheError(.storage, "the disk is full"))
            gate.open()
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .space)
        }
    }

    @Test func waitsForReservedSpaceDespiteEstimatedLength() async throws {
        fixture.library.serve("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nindex.m3u8\n", at: fixture.url("main.m3u8"))
        try await fixture.use { downloads in
            var policy = DownloadPolicy()
            policy.freeSpaceReserve = 1 << 60
            await downloads.setPolicy(policy)
            let asset = try await downloads.add(DownloadRequest(url: fixture.url("main.m3u8")))
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .space)
            await downloads.setPolicy(DownloadPolicy())
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
    }

    /// Neither the cache's minimum nor the reserve exceeds the free space, but their sum does.
    @Test func reserveIsInAdditionToMinimumOfCache() async throws {
        fixture.library.serve("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nindex.m3u8\n", at: fixture.url("main.m3u8"))
        try await fixture.use { downloads in
            let store = await downloads.store
            let free = try await store.usage().freeDiskBytes
            try await store.setLimits(CacheLimits(maximumBytes: nil, minimumFreeBytes: free / 2))
            var policy = DownloadPolicy()
            policy.freeSpaceReserve = free / 4 * 3
            await downloads.setPolicy(policy)
            let asset = try await downloads.add(DownloadRequest(url: fixture.url("main.m3u8")))
            #expect(try await fixture.obstacle(of: asset.id, downloads).kind == .space)
            try await store.setLimits(CacheLimits(maximumBytes: nil, minimumFreeBytes: 0))
            await downloads.setPolicy(policy)
            #expect(try await fixture.end(asset.id, of: downloads).state == .complete)
        }
    }

    /// The disk is full for a while, and then the network fails.
    @Test func waitsForSpaceDoNotLimitWaitsForNetwork() async throws {
        // The download never runs.
        let conditions = ScriptedConditions()
        conditions.change { $0.network = .absent }
        try await fixture.use(conditions: conditions) { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            for kind in [DownloadObstacle.Kind.space, .network] {
                for _ in 0..<Downloads.maximumFailedWaits {
                    await downloads.wait(id, DownloadObstacle(kind, "an obstacle"))
                    #expect(await downloads.status(of: id)?.asset.download?.state.obstacle?.kind == kind)
                }
            }
            await downloads.wait(id, DownloadObstacle(.network, "an obstacle"))
            #expect(await downloads.status(of: id)?.asset.download?.state.isEnded == true)
        }
    }

    @Test func failsAfterOriginStaysUnreachable() async throws {
        fixture.library.origin.isReachable = false
        #expect(try await download().state.failure?.isRetryable == true)
    }
}
