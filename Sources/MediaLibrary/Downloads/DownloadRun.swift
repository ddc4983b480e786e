internal import Foundation
internal import HLS
internal import MediaCache
import MediaContainers
import Synchronization

/// One asset's way to completeness: finds out what belongs to it, then fetches what is missing, several parts at once.
///
/// Cancelling the task of ``run()`` stops bytes at once. What came stays; the next run goes on at the first missing byte.
final class DownloadRun: Sendable {
    /// How it ended.
    enum Outcome: Sendable {
        /// Every part is here and committed, but for these.
        case ended(holes: [DownloadHole], holeCount: Int)
        /// It can't go on.
        case failed(DownloadFailure)
        /// It can go on later.
        case waiting(DownloadObstacle)
        /// Its task was cancelled.
        case stopped
    }

    /// How often parts that failed are tried again after all others, and how long before each time.
    private static let passes: [Duration] = [.seconds(1), .seconds(5)]

    let id: AssetID
    let meter = DownloadMeter()
    let asset: Asset
    private let rechecks: Bool
    let work: DownloadWork
    let group: TransferGroup
    let state = Mutex(State())

    struct State {
        var contents = AssetContents(parts: [])
        var queue = PartQueue(isDone: [])
        var failures: [Int: CacheError] = [:]
        var notes = NoteCounter()
        /// Gaps in the recording of a live stream.
        var missed: [DownloadHole] = []
        /// Failures of the network since something came, and the parts that nothing was heard of.
        var networkFailures = 0
        var silent: Set<Int> = []
        var obstacle: DownloadObstacle?
        /// How many bytes were here at the beginning.
        var bytesBefore: Int64 = 0
        /// By part name, its first index: what players ask for.
        var indexes: [String: Int] = [:]
        /// Fresh links, where the old ones are over.
        var links: LinkRefresh?
        /// The redundant copies that the parts' URLs are of.
        var copies = PartCopies()
        /// Whether what was taken for a file turned out to be a playlist.
        var isPlaylist = false
        /// The recording of a live stream, while it runs.
        var recording: Recording?
        /// Whether the recording is to end now.
        var isToFinish = false
    }

    /// - Parameters:
    ///   - asset: what is to be made complete.
    ///   - work: what it's done with.
    ///   - group: its transfers.
    ///   - rechecks: whether what is here is to be looked at again.
    init(_ asset: Asset, work: DownloadWork, group: TransferGroup, rechecks: Bool) {
        id = asset.id
        self.rechecks = rechecks
        self.asset = asset
        self.work = work
        self.group = group
    }

    var store: CacheStore { work.store }

    /// What was found in what came.
    var notes: [AssetContents.Note] {
        let known = asset.download?.notes ?? []
        let new = state.withLock { $0.contents.notes + $0.notes.notes }
        return known.filter { !new.contains($0) } + new
    }

    /// Whether anything came.
    var hasProgressed: Bool { meter.progress(now: store.time.monotonic).bytes > state.withLock { $0.bytesBefore } }

    /// The recording of a live stream; nil unless one runs.
    var recording: Recording? { state.withLock { $0.recording } }

    /// Gaps in the recording of a live stream.
    var missed: [DownloadHole] { state.withLock { $0.missed } }

    /// What it consists of, once that is known.
    var contents: AssetContents { state.withLock { $0.contents } }

    /// Another URL for what `url` named; nil if there is none.
    func freshURL(for url: ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)? {
        try await state.withLock { $0.links }?.fresh(url)
    }

    /// Goes on from the part of this name: somebody plays there.
    func prefer(_ name: String) {
        state.withLock { state in
            guard let index = state.indexes[name] else { return }
            state.queue.prefer(index)
        }
    }

    // MARK: - Running

    /// Runs to the end, or as far as it goes.
    func run() async -> Outcome {
        do {
            var settings = try work.settings(for: asset)
            let links = LinkRefresh(asset, work: work, settings: settings) { [weak self] in await self?.relink(to: $0) }
            settings.refreshFromDocument = { try await links.fresh($0) }
            state.withLock { $0.links = links }
            try await begin(try await plan(settings), settings)
            if let obstacle = try await missingSpace() { return .waiting(obstacle) }
            if let obstacle = try await fetchPlanned(settings) { return .waiting(try await confirmed(obstacle)) }
            for pause in Self.passes where state.withLock({ $0.retryableCount }) > 0 {
                try await store.time.sleep(for: pause)
                state.withLock { $0.retry() }
                if let obstacle = try await fetchAll(settings) { return .waiting(try await confirmed(obstacle)) }
            }
            try await store.commit()
            if let obstacle = try await lookAgain(settings) { return .waiting(try await confirmed(obstacle)) }
            try await pinPlaylists(settings)
            try await store.commit()
            await lookIntoFile(settings)
            return outcome()
        } catch let error as TooLarge {
            return .failed(
                DownloadFailure(code: CacheError.Code.storage.rawValue, message: error.message, isRetryable: true))
        } catch {
            return ended(by: CacheError.wrap(error, as: .storage, "the download of \(asset.url) failed"))
        }
    }

    private func ended(by error: CacheError) -> Outcome {
        if Task.isCancelled || error.code == .cancelled { return .stopped }
        return work.obstacle(by: error).map { .waiting($0) } ?? .failed(DownloadFailure(error))
    }

    /// What it consists of: as was found out before, or as its playlists say now.
    private func plan(_ settings: TransferSettings) async throws -> AssetContents {
        let known = try await work.shelf.contents(of: id)
        if let known, known.selection == nil || known.selection == asset.download?.selection { return known }
        return try await planAnew(settings)
    }

    /// What it consists of, as its playlists say now.
    func planAnew(_ settings: TransferSettings) async throws -> AssetContents {
        let url = try ResourceURL(asset.url)
        let contents = try await work.contents(of: url, selection: asset.download?.selection, settings)
        try await work.resources.replaceContents(of: asset, with: contents)
        return contents
    }

    /// The same asset by fresh links: parts of which nothing is here take theirs, and are known by it.
    private func relink(to fresh: [AssetPart.Place: AssetPart]) async {
        let contents = state.withLock { state in
            let parts = state.contents.parts
            let begun = Set(
                parts.indices.filter { index in
                    parts[index].range != nil && (state.queue.states[index] != .missing || !self.meter.isEmpty(index))
                }.map { parts[$0].name })
            for index in state.contents.parts.indices
            where state.queue.states[index] == .missing && meter.isEmpty(index) {
                // Ranges of one resource stay together: they are read by one URL.
                guard !begun.contains(state.contents.parts[index].name),
                    let part = fresh[state.contents.parts[index].place]
                else { continue }
                state.contents.parts[index].url = part.url
                state.contents.parts[index].scope = part.scope
            }
            return state.contents
        }
        try? await work.shelf.setContents(contents, of: id)
    }

    func begin(_ contents: AssetContents, _ settings: TransferSettings) async throws {
        let requests = try contents.parts.map { try request(for: $0, settings) }
        let holdings = try await store.holdings(of: requests)
        let holes = Set(asset.download?.holes.map(\.url) ?? [])
        // What a process that was killed had fetched, it may not have looked at.
        let isDone = contents.parts.indices.map { index in
            let (part, holding) = (contents.parts[index], holdings[index])
            guard let holding, !rechecks, !requests[index].needsAccessCheck(for: holding), !holes.contains(part.url),
                !(part.range.map { $0.upperBound > holding.length ?? .max } ?? false)
            else {
                return false
            }
            return holding.isWhole && holding.isPinned
        }
        let underWay = holdings.indices.filter { !isDone[$0] && (holdings[$0]?.bytesKept ?? 0) > 0 }
        let failed = holes.isEmpty ? [] : contents.parts.indices.filter { holes.contains(contents.parts[$0].url) }
        meter.begin(contents, kept: holdings.map { $0?.bytesKept ?? 0 }, isDone: isDone)
        let bytesBefore = holdings.reduce(Int64(0)) { $0 &+ ($1?.bytesKept ?? 0) }
        state.withLock { state in
            state.contents = contents
            state.bytesBefore = bytesBefore
            // What was never seen has no part, but the playlist that lost it.
            let playlists = Set(contents.playlists.map(\.url))
            state.missed = asset.download?.holes.filter { playlists.contains($0.url) } ?? []
            state.queue = PartQueue(isDone: isDone, first: underWay + failed)
            state.copies = PartCopies()
            state.indexes = [:]
            state.failures = [:]
            for (index, part) in contents.parts.enumerated() where state.indexes[part.name] == nil {
                state.indexes[part.name] = index
            }
        }
    }

    /// What came may have gone again: its origin has another version, or somebody removed another asset that has it too.
    /// It's fetched once more; what has gone by then as well is a hole.
    private func lookAgain(_ settings: TransferSettings) async throws -> DownloadObstacle? {
        let gone = try await partsGone(settings)
        guard !gone.isEmpty else { return nil }
        state.withLock { $0.queue.lost(gone) }
        if let obstacle = try await fetchAll(settings) { return obstacle }
        try await store.commit()
        let goneAgain = try await partsGone(settings)
        state.withLock { state in
            for index in goneAgain {
                state.failures[index] = CacheError(
                    .representationChanged, "\(state.contents.parts[index].url) went again: it changed while it came")
            }
        }
        return nil
    }

    /// The parts that came, and aren't here any more. They don't count as here from now on.
    private func partsGone(_ settings: TransferSettings) async throws -> [Int] {
        let parts = contents.parts
        let holdings = try await store.holdings(of: try parts.map { try request(for: $0, settings) })
        let gone = state.withLock { state in
            parts.indices.filter {
                state.queue.states[$0] == .done && !(holdings[$0]?.isWhole == true && holdings[$0]?.isPinned == true)
            }
        }
        for index in gone { meter.lost(index) }
        return gone
    }

    /// What can never fit isn't waited for.
    private func confirmed(_ obstacle: DownloadObstacle) async throws -> DownloadObstacle {
        guard obstacle.kind == .space else { return obstacle }
        return try await missingSpace() ?? obstacle
    }

    /// What is known of its length has to fit before it begins.
    private func missingSpace() async throws -> DownloadObstacle? {
        let progress = meter.progress(now: store.time.monotonic)
        guard let length = progress.length else { return nil }
        let missing = length - progress.bytes
        let usage = try await store.usage()
        let free = usage.freeDiskBytes - work.policy.freeSpaceReserve
        if let most = usage.maximumBytes, missing > most - usage.pinnedBytes {
            throw TooLarge(
                message:
                    "\(asset.url) needs about \(missing) bytes more, and the cache may keep \(most) in all, of which "
                    + "\(usage.pinnedBytes) are taken; raise its limit")
        }
        guard missing > free else { return nil }
        return DownloadObstacle(
            .space, "it needs about \(missing) bytes more, and the disk has \(max(0, free)) to spare")
    }

    // MARK: - The end

    /// The playlists themselves stay too, so that their own URLs play without the origin.
    private func pinPlaylists(_ settings: TransferSettings) async throws {
        // A recording doesn't play by its origin's playlists.
        for playlist in contents.playlists where !contents.parts.contains(where: { $0.keptAs != nil }) {
            guard let url = try? ResourceURL(playlist.url) else { continue }
            let request = ReadRequest(url: url, settings: settings, kind: .playlist)
            guard let info = try await store.resource(of: request), !info.isPinned else { continue }
            try? await store.setPinned(true, id: info.id)
        }
    }

    /// How long a film lasts says its index alone. Whatever keeps it from being read is no fault of the download.
    private func lookIntoFile(_ settings: TransferSettings) async {
        guard contents.playlists.isEmpty, contents.parts.count == 1, let url = contents.parts.first?.url else { return }
        let duration = try? await BlockingWork.run { [store] control in
            let source = try StoreResources(store, settings: settings, control: control).bytes(of: url, range: nil)
            let front = try source.bytes(0..<min(source.length, 8), limit: 8)
            return front.withUnsafeBytes(MP4Format.isRecognised) ? try MP4Reader(source).movie.seconds : nil
        }
        if let seconds = duration ?? nil { state.withLock { $0.contents.duration = seconds } }
    }

    private func outcome() -> Outcome {
        let (contents, failures) = state.withLock { ($0.contents, $0.failures) }
        let holes = failures.sorted { $0.key < $1.key }.map { DownloadHole(contents.parts[$0.key], $0.value) }
        let needed = failures.filter { contents.parts[$0.key].isNeededByOthers || contents.parts.count == 1 }
        let segments = failures.keys.count { contents.parts[$0].role == .mediaSegment }
        let isAll = segments > 0 && segments == contents.parts.count { $0.role == .mediaSegment }
        if let (index, error) = needed.min(by: { $0.key < $1.key }) ?? (isAll ? failures.first : nil) {
            let part = contents.parts[index]
            let what = part.role == .file ? "" : "\(part.role.words) \(part.url): "
            return .failed(
                DownloadFailure(
                    code: error.code.rawValue, message: what + error.message, isRetryable: error.isRetryable))
        }
        let all = holes + state.withLock { $0.missed }
        return .ended(holes: Array(all.prefix(DownloadHole.mostListed)), holeCount: all.count)
    }
}

/// It's larger than the cache may ever be.
private struct TooLarge: Error {
    var message: String
}

extension DownloadRun.State {
    fileprivate var retryableCount: Int { failures.values.count { $0.isRetryable } }

    /// What failed is tried again, but for what can't come.
    mutating func retry() {
        let final = failures.filter { !$0.value.isRetryable }.map(\.key)
        queue.retryFailed(but: Set(final))
        copies.retry()
    }
}

extension AssetPart {
    /// Whether others can't be played without it.
    fileprivate var isNeededByOthers: Bool { role == .key || role == .initializationSection }
}

extension AssetPart.Role {
    /// A few words for messages.
    var words: String {
        switch self {
        case .file: "the file"
        case .key: "the key"
        case .initializationSection: "the media initialization section"
        case .mediaSegment: "the segment"
        case .other: "what the playlist names,"
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
