import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// A store and downloads from a scripted origin.
final class DownloadFixture: Sendable {
    let library: LibraryFixture
    let base = "http://origin.example/films/one/"

    /// The number of tasks that sleep while the store is idle.
    private let idleSleepers = Mutex(0)

    init(files: any BlobFileSystem = POSIXFileSystem(), keyPolicy: CacheKeyPolicy = .wholeURL) {
        library = LibraryFixture(files: files, keyPolicy: keyPolicy)
    }

    var entry: ResourceURL { url("index.m3u8") }

    func url(_ name: String) -> ResourceURL {
        guard let url = try? ResourceURL(base + name) else { preconditionFailure("“\(name)” isn't part of a URL") }
        return url
    }

    /// Returns bytes that are recognized as transport stream packets.
    static func packets(_ seed: Int, count: Int = 10) -> [UInt8] {
        (0..<count).flatMap { packet in
            [0x47] + (1..<188).map { UInt8(truncatingIfNeeded: seed &* 31 &+ packet &* 7 &+ $0) }
        }
    }

    /// Serves a stream whose segments are in the folder of its playlist.
    func serveStream(segments: Int, in entry: ResourceURL? = nil) {
        let entry = entry ?? self.entry
        let folder = entry.description.dropFirst(base.count).dropLast("index.m3u8".count)
        let lines = (0..<segments).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        library.serve("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)#EXT-X-ENDLIST\n", at: entry)
        for number in 0..<segments { serve(Self.packets(number), at: "\(folder)\(number).ts") }
    }

    func serve(_ bytes: [UInt8], at name: String, type: String = "video/mp2t") {
        library.origin[url(name)] = ScriptedResource(.bytes(bytes), entityTag: "\"1\"", contentType: type)
    }

    func file(length: Int) -> ResourceURL {
        let url = url("film.mp4")
        library.origin[url] = ScriptedResource(
            .bytes((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }), entityTag: "\"1\"",
            contentType: "video/mp4")
        return url
    }

    func remove(_ name: String) { library.origin[url(name)] = nil }

    func requests(for name: String) -> Int { library.origin.requests.count { $0.url == url(name) } }

    func next(_ name: String, _ fault: ScriptedFault) { library.origin.next(url(name), fault) }

    func always(_ name: String, _ fault: ScriptedFault) { library.origin.always(url(name), fault) }

    /// Returns whether any byte of a resource is cached, after reopening the store.
    func isCached(_ name: String) async throws -> Bool {
        let store = try await library.open()
        let info = try await store.resource(for: url(name))
        await store.close()
        return (info?.bytesCached ?? 0) > 0
    }

    /// Downloads a URL and waits for the end.
    func download(_ url: ResourceURL, with downloads: Downloads) async throws -> Download {
        try await end(try await downloads.add(DownloadRequest(url: url)).id, of: downloads)
    }

    /// Waits for the end of a download while advancing the clock.
    func end(_ id: AssetID, of downloads: Downloads) async throws -> Download {
        _ = await wait(downloads, id) { $0.isEnded }
        return try #require(await downloads.status(of: id)?.asset.download)
    }

    /// Waits for the end of a download, and expects that it has a number of parts, all complete.
    @discardableResult
    func expectCompletion(
        of id: AssetID, _ downloads: Downloads, parts: Int, _ location: SourceLocation = #_sourceLocation
    ) async throws -> Download {
        let download = try await end(id, of: downloads)
        #expect(download.state == .complete, sourceLocation: location)
        #expect(download.parts == .init(done: parts, total: parts), sourceLocation: location)
        return download
    }

    /// Waits until an obstacle delays a download, and returns the obstacle.
    func obstacle(of id: AssetID, _ downloads: Downloads) async throws -> DownloadObstacle {
        let state = await wait(downloads, id) { $0.obstacle != nil || $0.isEnded }
        return try #require(state?.obstacle, "the state is \(String(describing: state))")
    }

    /// The real time after which the functions that wait for a download give up. Only a defect exceeds it: all tests run
    /// at the same time, so each may take as long as all of them.
    private static let patience = Duration.seconds(3600)

    /// Waits until a download's state meets a condition, while slowly advancing the clock. Returns the last state; nil
    /// if the download is unknown. Records an issue if the state doesn't meet the condition after ``patience``.
    func wait(_ downloads: Downloads, _ id: AssetID, until condition: (DownloadState) -> Bool) async -> DownloadState? {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end, !Task.isCancelled {
            let state = await downloads.status(of: id)?.asset.download?.state
            if let state, condition(state) { return state }
            await advanceClock(isWaiting: state?.obstacle != nil, isIdle: await isIdle(downloads, id))
        }
        let state = await downloads.status(of: id)?.asset.download?.state
        Issue.record("the download didn't reach the expected state: \(String(describing: state))")
        return state
    }

    /// Returns whether a live stream is being recorded and its recording is only waiting for the clock.
    private func isIdle(_ downloads: Downloads, _ id: AssetID) async -> Bool {
        guard let recording = downloads.recording(of: id), await recording.isRunning, await recording.isIdle() else {
            return false
        }
        return library.time.sleepers > idleSleepers.withLock { $0 } + (await recording.followers)
    }

    /// Advances the clock, slowly while requests are running, so that they don't time out on a busy machine.
    private func advanceClock(isWaiting: Bool, isIdle: Bool = false) async {
        guard !isIdle else { return library.time.advance(by: .milliseconds(500)) }
        for _ in 0..<(isWaiting ? 20 : 100) { await Task.yield() }
        let isAnswering = library.origin.requests.contains { $0.progress == .running }
        library.time.advance(by: isWaiting ? .milliseconds(100) : isAnswering ? .milliseconds(1) : .milliseconds(5))
    }

    /// Waits until a download's progress meets a condition, while advancing the clock.
    func progress(_ downloads: Downloads, _ id: AssetID, until condition: (DownloadProgress) -> Bool) async {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end, !Task.isCancelled {
            if let progress = await downloads.status(of: id)?.progress, condition(progress) { return }
            await advanceClock(isWaiting: false, isIdle: await isIdle(downloads, id))
        }
        Issue.record(
            "the download didn't make the expected progress: \(String(describing: await downloads.status(of: id)))")
    }

    /// Advances the clock by one step, like the functions that wait for a download.
    func pass(_ downloads: Downloads, _ id: AssetID) async {
        await advanceClock(isWaiting: false, isIdle: await isIdle(downloads, id))
    }

    /// Opens the store, and runs downloads until `body` ends.
    func use(
        limits: DownloadLimits = DownloadLimits(), policy: DownloadPolicy = DownloadPolicy(),
        conditions: any DownloadConditions = SteadyConditions(),
        waitForTransfers: (@Sendable (ResourceURL) async -> Void)? = nil, _ body: (Downloads) async throws -> Void
    ) async throws {
        let store = try await library.open()
        // The store's maintenance task also sleeps.
        await library.time.waitForSleepers(1)
        idleSleepers.withLock { $0 = library.time.sleepers }
        let downloads = Downloads(
            store: store, assetStore: AssetStore(of: store), loader: PlaylistLoader(store: store), limits: limits,
            policy: policy, conditions: conditions, waitForTransfers: waitForTransfers)
        try await downloads.start()
        var failure: (any Error)?
        do { try await body(downloads) } catch { failure = error }
        await downloads.stop()
        await store.close()
        if let failure { throw failure }
    }
}

extension DownloadState {
    var failure: DownloadFailure? { if case .failed(let failure) = self { failure } else { nil } }
    var obstacle: DownloadObstacle? { if case .waiting(let obstacle) = self { obstacle } else { nil } }
}
