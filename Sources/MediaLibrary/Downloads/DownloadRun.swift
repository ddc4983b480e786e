internal import Foundation
internal import HLS
internal import MediaCache
import Synchronization

/// One attempt to complete an asset: it determines the asset's contents, then fetches the missing parts concurrently.
///
/// Cancelling the task of ``run()`` stops transfers at once. Received bytes remain, and the next run continues at the
/// first missing byte.
final class DownloadRun: Sendable {
    enum Outcome: Sendable {
        /// All parts are complete and committed, except the holes.
        case ended(holes: [DownloadHole], holeCount: Int)
        case failed(DownloadFailure)
        case waiting(DownloadObstacle)
        case stopped
    }

    /// The delays before failed parts are retried, once all other parts have been fetched.
    private static let passes: [Duration] = [.seconds(1), .seconds(5)]

    let id: AssetID
    let meter = DownloadMeter()
    let asset: Asset
    private let rechecks: Bool
    let dependencies: DownloadDependencies
    let group: TransferGroup
    let state = Mutex(State())

    struct State {
        var contents = AssetContents(parts: [])
        var queue = PartQueue(isDone: [])
        var failures: [Int: CacheError] = [:]
        var notes = NoteAggregator()
        /// Gaps in the recording of a live stream.
        var missed: [DownloadHole] = []
        /// The number of network failures other than timeouts since a part was last completed.
        var networkFailures = 0
        /// The indexes of the parts that have timed out since a part was last completed.
        var silent: Set<Int> = []
        var obstacle: DownloadObstacle?
        var bytesBefore: Int64 = 0
        /// The first index of each part name, for requests by players.
        var indexes: [String: Int] = [:]
        var links: LinkRefresh?
        var copies = PartCopies()
        /// Whether a resource fetched as a file turned out to be a playlist.
        var isPlaylist = false
        var recording: Recording?
        var isFinishRequested = false
        /// Whether the beginning of the asset is cached.
        var hasBeginning = false
        /// The number of cached bytes at which a file's beginning is examined.
        var nextCheck = FileBeginning.length
    }

    /// - Parameter rechecks: Whether cached parts are checked again.
    init(_ asset: Asset, dependencies: DownloadDependencies, group: TransferGroup, rechecks: Bool) {
        id = asset.id
        self.rechecks = rechecks
        self.asset = asset
        self.dependencies = dependencies
        self.group = group
    }

    var store: CacheStore { dependencies.store }

    /// Remarks about the playlists and the received media, including those of earlier runs.
    var notes: [AssetContents.Note] {
        let known = asset.download?.notes ?? []
        return state.withLock { state in
            let listed = state.contents.notes
            let earlier = known.filter { !listed.contains($0) }
            return listed + state.notes.combined(with: earlier, replacesCounts: rechecks)
        }
    }

    /// Whether more bytes are cached than at the beginning of the run.
    var hasProgressed: Bool { meter.progress(now: store.time.monotonic).bytes > state.withLock { $0.bytesBefore } }

    var recording: Recording? { state.withLock { $0.recording } }

    var missed: [DownloadHole] { state.withLock { $0.missed } }

    /// The asset's contents; empty until they're known.
    var contents: AssetContents { state.withLock { $0.contents } }

    func refreshedURL(for url: ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)? {
        try await state.withLock { $0.links }?.refreshedURL(for: url)
    }

    /// Continues with the named part, because a player requested it.
    func prefer(_ name: String) {
        state.withLock { state in
            guard let index = state.indexes[name] else { return }
            state.queue.prefer(index)
        }
    }

    // MARK: - Running

    /// Fetches missing parts until all are complete, or until an error or obstacle ends the run.
    func run() async -> Outcome {
        do {
            var settings = try dependencies.settings(for: asset)
            let links = LinkRefresh(asset, dependencies: dependencies, settings: settings) { [weak self] in
                await self?.relink(to: $0)
            }
            settings.refreshFromDocument = { try await links.refreshedURL(for: $0) }
            state.withLock { $0.links = links }
            try await begin(try await plan(settings), settings)
            if let obstacle = try await missingSpace(allowsEstimate: false) { return .waiting(obstacle) }
            if let obstacle = try await fetchPlanned(settings) { return .waiting(try await confirmed(obstacle)) }
            for pause in Self.passes where state.withLock({ $0.retryableCount }) > 0 {
                try await store.time.sleep(for: pause)
                state.withLock { $0.retry() }
                if let obstacle = try await fetchAll(settings) { return .waiting(try await confirmed(obstacle)) }
            }
            try await store.commit()
            if let obstacle = try await refetchRemovedParts(settings) { return .waiting(try await confirmed(obstacle)) }
            try await pinPlaylists(settings)
            try await store.commit()
            await readMetadata(settings)
            return outcome()
        } catch let error as AssetTooLarge {
            return .failed(
                DownloadFailure(code: CacheError.Code.storage.rawValue, message: error.message, isRetryable: true))
        } catch {
            return ended(by: CacheError.wrap(error, as: .storage, "the download of \(asset.url) failed"))
        }
    }

    private func ended(by error: CacheError) -> Outcome {
        if Task.isCancelled || error.code == .cancelled { return .stopped }
        return dependencies.obstacle(by: error).map { .waiting($0) } ?? .failed(DownloadFailure(error))
    }

    /// Returns the stored contents, or determines them from the playlists.
    private func plan(_ settings: TransferSettings) async throws -> AssetContents {
        let known = try await dependencies.assetStore.contents(of: id)
        if let known, known.selection == nil || known.selection == asset.download?.selection { return known }
        return try await updatedContents(settings)
    }

    /// Determines the contents from the playlists, and stores them.
    func updatedContents(_ settings: TransferSettings) async throws -> AssetContents {
        let url = try ResourceURL(asset.url)
        let contents = try await dependencies.contents(of: url, selection: asset.download?.selection, settings)
        try await dependencies.resources.replaceContents(of: asset, with: contents)
        return contents
    }

    /// Replaces the URLs of parts that haven't been started with new URLs.
    private func relink(to fresh: [AssetPart.Identity: AssetPart]) async {
        let contents = state.withLock { state in
            let parts = state.contents.parts
            let begun = Set(
                parts.indices.filter { index in
                    parts[index].range != nil && (state.queue.states[index] != .missing || !self.meter.isEmpty(index))
                }.map { parts[$0].name })
            for index in state.contents.parts.indices
            where state.queue.states[index] == .missing && meter.isEmpty(index) {
                // Ranges of one resource must share a URL.
                guard !begun.contains(state.contents.parts[index].name),
                    let part = fresh[state.contents.parts[index].identity]
                else { continue }
                state.contents.parts[index].url = part.url
                state.contents.parts[index].scope = part.scope
            }
            return state.contents
        }
        try? await dependencies.assetStore.setContents(contents, of: id)
    }

    func begin(_ contents: AssetContents, _ settings: TransferSettings) async throws {
        let requests = try contents.parts.map { try request(for: $0, settings) }
        let coverages = try await store.coverage(of: requests)
        let holes = Set(asset.download?.holes.map(\.url) ?? [])
        // With `rechecks`, no part counts as done, because a process that was killed may have fetched parts without
        // checking them.
        let isDone = contents.parts.indices.map { index in
            let (part, coverage) = (contents.parts[index], coverages[index])
            guard let coverage, !rechecks, !holes.contains(part.url),
                !store.needsAccessCheck(coverage.addressKind, requests[index].settings),
                !(part.range.map { $0.upperBound > coverage.length ?? .max } ?? false)
            else { return false }
            return coverage.isWhole && coverage.isPinned
        }
        let begun = coverages.indices.filter { !isDone[$0] && (coverages[$0]?.bytesCached ?? 0) > 0 }
        let failed = holes.isEmpty ? [] : contents.parts.indices.filter { holes.contains(contents.parts[$0].url) }
        meter.begin(contents, cached: coverages.map { $0?.bytesCached ?? 0 }, isDone: isDone)
        let bytesBefore = coverages.reduce(Int64(0)) { $0 &+ ($1?.bytesCached ?? 0) }
        state.withLock { state in
            state.contents = contents
            state.bytesBefore = bytesBefore
            // A segment that is missing from a recording has no part. Its hole has the URL of the playlist.
            let playlists = Set(contents.playlists.map(\.url))
            state.missed = asset.download?.holes.filter { playlists.contains($0.url) } ?? []
            state.queue = PartQueue(isDone: isDone, first: begun + failed)
            state.copies = PartCopies()
            state.indexes = [:]
            state.failures = [:]
            for (index, part) in contents.parts.enumerated() where state.indexes[part.name] == nil {
                state.indexes[part.name] = index
            }
        }
    }

    /// Fetches parts again that were removed during the run, because they changed at the origin, or the user removed
    /// another asset that shares them. Parts that are removed once more become holes.
    private func refetchRemovedParts(_ settings: TransferSettings) async throws -> DownloadObstacle? {
        let removed = try await removedParts(settings)
        guard !removed.isEmpty else { return nil }
        state.withLock { $0.queue.removed(removed) }
        if let obstacle = try await fetchAll(settings) { return obstacle }
        try await store.commit()
        let removedAgain = try await removedParts(settings)
        state.withLock { state in
            for index in removedAgain {
                state.failures[index] = CacheError(
                    .representationChanged,
                    "\(state.contents.parts[index].url) changed repeatedly while it was downloaded")
            }
        }
        return nil
    }

    /// Returns the parts that have been removed since they were completed, and subtracts them from the progress.
    private func removedParts(_ settings: TransferSettings) async throws -> [Int] {
        let parts = contents.parts
        let coverages = try await store.coverage(of: try parts.map { try request(for: $0, settings) })
        let removed = state.withLock { state in
            parts.indices.filter {
                state.queue.states[$0] == .done && !(coverages[$0]?.isWhole == true && coverages[$0]?.isPinned == true)
            }
        }
        for index in removed { meter.removed(index) }
        return removed
    }

    /// Returns the obstacle, with current numbers if it's a lack of space.
    private func confirmed(_ obstacle: DownloadObstacle) async throws -> DownloadObstacle {
        guard obstacle.kind == .space else { return obstacle }
        return try await missingSpace(allowsEstimate: true) ?? obstacle
    }

    /// Returns an obstacle if the asset's missing bytes exceed the free space, or the disk has less free space than the
    /// policy reserves in addition to the cache's minimum.
    ///
    /// - Parameter allowsEstimate: Whether an estimated length is compared with the free space, too. The bit rates in
    ///   playlists are often much higher than those of the media.
    /// - Throws: `AssetTooLarge` if the length is exact, and the missing bytes exceed the part of the cache limit that
    ///   pinned data doesn't use.
    private func missingSpace(allowsEstimate: Bool) async throws -> DownloadObstacle? {
        let progress = meter.progress(now: store.time.monotonic)
        guard let length = progress.length else { return nil }
        let missing = length - progress.bytes
        let isComparable = progress.isLengthExact || allowsEstimate
        let usage = try await store.usage()
        // Evictions restore the cache's minimum, but not the reserve.
        let reserve = dependencies.policy.freeSpaceReserve
        let free = usage.freeDiskBytes - (reserve > 0 ? store.limits.minimumFreeBytes.clampedSum(reserve) : 0)
        if progress.isLengthExact, let limit = usage.maximumBytes, missing > limit - usage.pinnedBytes {
            throw AssetTooLarge(
                message:
                    "\(asset.url) needs about \(ByteCount(missing)) more, but pinned data uses "
                    + "\(ByteCount(usage.pinnedBytes)) of the cache limit of \(ByteCount(limit)); raise the limit")
        }
        guard missing > 0, isComparable ? missing > free : free < 0 else { return nil }
        return DownloadObstacle(
            .space,
            "the download needs about \(ByteCount(missing)) more, but only \(ByteCount(max(0, free))) may be used on "
                + "the disk")
    }

    // MARK: - Completion

    /// Pins the origin's playlists, so that their URLs can be played without the origin.
    private func pinPlaylists(_ settings: TransferSettings) async throws {
        // A recording isn't played through the origin's playlists.
        for playlist in contents.playlists where !contents.parts.contains(where: { $0.storedAs != nil }) {
            guard let url = try? ResourceURL(playlist.url) else { continue }
            let request = ReadRequest(url: url, settings: settings, kind: .playlist)
            guard let info = try await store.resource(of: request), !info.isPinned else { continue }
            try? await store.setPinned(true, id: info.id)
        }
    }

    /// Reads the metadata and the duration of a file from its cached bytes. Errors don't affect the download.
    private func readMetadata(_ settings: TransferSettings) async {
        guard contents.playlists.isEmpty, contents.parts.count == 1, let url = contents.parts.first?.url else { return }
        let found = try? await BlockingOperation.run { [store] control in
            try FileMetadata(of: StoreResources(store, settings: settings, control: control).bytes(of: url, range: nil))
        }
        guard let found else { return }
        state.withLock { state in
            state.contents.metadata = found.metadata
            if let seconds = found.duration { state.contents.duration = seconds }
        }
    }

    private func outcome() -> Outcome {
        let (contents, failures) = state.withLock { ($0.contents, $0.failures) }
        let holes = failures.sorted { $0.key < $1.key }.map { DownloadHole(contents.parts[$0.key], $0.value) }
        let needed = failures.filter { contents.parts[$0.key].isNeededElsewhere || contents.parts.count == 1 }
        let segments = failures.keys.count { contents.parts[$0].role == .mediaSegment }
        let isAll = segments > 0 && segments == contents.parts.count { $0.role == .mediaSegment }
        if let (index, error) = needed.min(by: { $0.key < $1.key }) ?? (isAll ? failures.first : nil) {
            let part = contents.parts[index]
            let subject = part.role == .file ? "" : "\(part.role.words) \(part.url): "
            return .failed(
                DownloadFailure(
                    code: error.code.rawValue, message: subject + error.message, isRetryable: error.isRetryable))
        }
        let all = holes + state.withLock { $0.missed }
        return .ended(holes: Array(all.prefix(DownloadHole.maximumListed)), holeCount: all.count)
    }
}

/// An error thrown if the asset doesn't fit within the cache limit.
private struct AssetTooLarge: Error {
    var message: String
}

extension DownloadRun.State {
    fileprivate var retryableCount: Int { failures.values.count { $0.isRetryable } }

    mutating func retry() {
        let final = failures.filter { !$0.value.isRetryable }.map(\.key)
        queue.retryFailed(except: Set(final))
        copies.retry()
    }
}

extension AssetPart {
    /// Whether other parts can't be played without this one.
    fileprivate var isNeededElsewhere: Bool { role == .key || role == .initializationSection }
}

extension AssetPart.Role {
    var words: String {
        switch self {
        case .file: "the file"
        case .key: "the key"
        case .initializationSection: "the media initialization section"
        case .mediaSegment: "the segment"
        case .other: "the resource"
        }
    }
}

extension DownloadFailure {
    init(_ error: CacheError) {
        self.init(
            code: error.code.rawValue, message: error.code == .storage ? error.description : error.message,
            isRetryable: error.isRetryable || error.code == .storage && !error.isByRule)
    }
}

extension DownloadHole {
    init(_ part: AssetPart, _ error: CacheError) {
        self.init(
            url: part.url, role: part.role.rawValue, start: part.start, duration: part.duration, reason: error.message,
            isRetryable: error.isRetryable)
    }
}
