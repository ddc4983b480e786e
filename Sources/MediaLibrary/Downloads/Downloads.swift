internal import Foundation
internal import HTTPTypes
public import MediaCache
internal import Synchronization

/// The downloads of a store: which run, which wait, which have ended.
///
/// What a person wants of each, to run, to rest or to be gone, is noted at once; `reconcile()` then starts and stops
/// runs until what runs is what is wanted. So every call may come at any time, in any order, as often as one likes.
public actor Downloads {
    /// How an origin is asked for a URL: in somebody's name, with header fields of the asset's own.
    public typealias SettingsSource =
        @Sendable (_ url: ResourceURL, _ identity: ProfileIdentity?, _ headers: [String: String]) throws ->
        TransferSettings

    /// How often in a row a download waits for what doesn't come, before it fails.
    static let mostFruitlessWaits = 6

    struct Entry {
        var asset: Asset
        var run: DownloadRun?
        var task: Task<Void, Never>?
        let group: TransferGroup
        /// Tries again when what it waits for may have come.
        var timer: Task<Void, Never>?
        /// Waits in a row that brought nothing.
        var fruitless = 0
        /// Whether what is here is to be looked at again: an earlier process was killed over it.
        var rechecks = false
        /// Whether it's being removed: nothing starts it any more.
        var isLeaving = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let store: CacheStore
    let shelf: AssetShelf
    let loader: PlaylistLoader
    let settings: SettingsSource
    let refreshSource: (@Sendable (Asset) async throws -> ResourceURL?)?
    let conditions: any DownloadConditions
    nonisolated let hub = EventHub<DownloadEvent> { .dropped(count: $0) }

    var entries: [AssetID: Entry] = [:]
    var queue = DownloadQueue()
    var policy: DownloadPolicy
    var limits: DownloadLimits
    var watchers: [Task<Void, Never>] = []
    /// Looks again when the hours begin or end in which downloads run.
    var boundary: Task<Void, Never>?
    /// The network that was there last.
    var networkName = ""
    var isStopped = false
    /// Records to be written, and who waits for that.
    var unwritten: Set<AssetID> = []
    var isWriting = false
    var writeWaiters: [CheckedContinuation<Void, Never>] = []
    /// Runs by asset, for those who must not wait.
    nonisolated let runs = Mutex<[AssetID: DownloadRun]>([:])

    /// Downloads of a store. Nothing runs before ``start(goingOn:)``.
    ///
    /// - Parameters:
    ///   - store: where bytes are kept.
    ///   - shelf: where assets are.
    ///   - loader: what reads playlists; shared with who plays.
    ///   - limits: how many run at once.
    ///   - policy: under which conditions they run.
    ///   - conditions: what tells those.
    ///   - settings: how origins are asked; nil takes the store's settings and adds the asset's header fields.
    ///   - refreshSource: gives an asset's own URL anew where its link is over; nil where nothing does.
    public init(
        store: CacheStore, shelf: AssetShelf, loader: PlaylistLoader, limits: DownloadLimits = DownloadLimits(),
        policy: DownloadPolicy = DownloadPolicy(), conditions: any DownloadConditions = SteadyConditions(),
        settings: SettingsSource? = nil, refreshSource: (@Sendable (Asset) async throws -> ResourceURL?)? = nil
    ) {
        self.store = store
        self.shelf = shelf
        self.loader = loader
        self.limits = limits
        self.policy = policy
        self.conditions = conditions
        self.settings = settings ?? Self.storeSettings(store)
        self.refreshSource = refreshSource
    }

    static func storeSettings(_ store: CacheStore) -> SettingsSource {
        { url, identity, headers in
            var settings = store.transfers
            guard identity != nil || !headers.isEmpty else { return settings }
            settings.headerProfiles.add(try HTTPFields(named: headers), as: identity, to: url)
            return settings
        }
    }

    // MARK: - Life

    /// Takes up what earlier processes left: what ran or waited goes on, what was paused stays so. Does nothing while
    /// downloads run already.
    ///
    /// - Parameter goingOn: whether what ran or waited goes on now; else it's left to a later process, unless somebody
    ///   asks for it.
    /// - Throws: `CacheError` with `storage`.
    public func start(goingOn: Bool = true) async throws {
        guard watchers.isEmpty else { return }
        isStopped = false
        for (id, entry) in entries where entry.asset.download?.state.isWanted == true {
            queue.change(id) { $0.isHeldUp = false }
            setState(.queued, of: id)
        }
        for asset in try await shelf.assets().sorted(by: { $0.added < $1.added }) where entries[asset.id] == nil {
            guard let download = asset.download else { continue }
            enter(asset)
            if download.state.isWanted { setState(.queued, of: asset.id) }
            if !goingOn { queue.change(asset.id) { $0.isWanted = false } }
        }
        networkName = conditions.current.networkName
        watch()
        conditionsChanged()
    }

    /// Stops all that runs. What ran goes on with the next ``start(goingOn:)``, in this process or another.
    public func stop() async {
        guard !isStopped else { return }
        isStopped = true
        for watcher in watchers { watcher.cancel() }
        watchers = []
        for entry in entries.values {
            entry.timer?.cancel()
            entry.task?.cancel()
        }
        for id in Array(entries.keys) { await entries[id]?.task?.value }
        await write()
        boundary?.cancel()
        for id in Array(entries.keys) { wakeAll(of: id) }
        hub.finish()
    }

    /// What happens from now on. Each call gives a stream of its own, which holds up to 512 events for a slow reader and
    /// then drops, and says how many.
    public nonisolated func events() -> AsyncStream<DownloadEvent> { hub.stream() }

    /// The same of what is wanted alone, so that no other event makes a slow reader lose one.
    package nonisolated func events(
        where isWanted: @escaping @Sendable (DownloadEvent) -> Bool
    ) -> AsyncStream<DownloadEvent> { hub.stream(where: isWanted) }

    private func watch() {
        // Those of every read would wake it for nothing.
        let events = store.events { if case .progress = $0 { true } else { false } }
        watchers.append(
            Task { [weak self] in
                for await event in events {
                    guard case .progress(let progress) = event else { continue }
                    self?.note(progress)
                }
            })
        let changes = conditions.changes()
        watchers.append(
            Task { [weak self] in
                for await _ in changes { await self?.conditionsChanged() }
            })
    }

    private nonisolated func note(_ progress: CacheEvent.Progress) {
        let now = store.time.monotonic
        for run in runs.withLock({ Array($0.values) })
        where run.meter.note(key: progress.key, kept: progress.kept, length: progress.length, now: now) {
            run.report(isFinal: false)
        }
    }

    /// A person plays a part of an asset: its download goes on from there.
    public nonisolated func plays(_ name: String, of id: AssetID) {
        runs.withLock { $0[id] }?.prefer(name)
    }

    /// Returns another URL for a part whose link is over, while its asset is downloaded, and the scope of the playlist
    /// that names it; nil where there is none.
    ///
    /// - Throws: `CacheError` where the playlists can't be loaded.
    package nonisolated func freshURL(
        for url: ResourceURL, of id: AssetID
    ) async throws -> (url: ResourceURL, scope: AddressScope)? {
        try await runs.withLock { $0[id] }?.freshURL(for: url)
    }

    /// The recording of a live stream that is being downloaded; nil for any other asset.
    package nonisolated func recording(of id: AssetID) -> Recording? { runs.withLock { $0[id] }?.recording }

    // MARK: - What is known

    /// A download at this moment; nil where there is none of this asset.
    public func status(of id: AssetID) -> DownloadStatus? { entries[id].map(status) }

    /// All downloads, in the order in which they were asked for.
    public func statuses() -> [DownloadStatus] {
        entries.values.sorted { ($0.asset.added, $0.asset.id.rawValue) < ($1.asset.added, $1.asset.id.rawValue) }
            .map(status)
    }

    /// Returns when a download has ended, or is no more, or when all have stopped.
    public func ended(_ id: AssetID) async -> DownloadStatus? {
        while let entry = entries[id], !entry.isLeaving, entry.asset.download?.state.isEnded == false, !isStopped {
            await withCheckedContinuation { entries[id]?.waiters.append($0) ?? $0.resume() }
        }
        return entries[id].map(status)
    }

    /// Whether any is to run now. What waits for something, or has been left by an earlier process, isn't.
    public var isBusy: Bool { queue.items.values.contains { $0.isWanted && !$0.isHeldUp } && obstacle == nil }

    /// Returns when none is to run now, or all have stopped.
    public func idle() async {
        let events = events()
        guard isBusy, !isStopped else { return }
        for await _ in events where !isBusy { return }
    }

    private func status(_ entry: Entry) -> DownloadStatus {
        let download = entry.asset.download ?? Download(added: entry.asset.created)
        guard let run = entry.run else {
            let isHere = download.state == .complete
            return DownloadStatus(
                asset: entry.asset,
                progress: DownloadProgress(
                    bytes: download.bytes, length: download.length, isLengthKnown: download.isLengthKnown,
                    parts: download.parts, rate: 0, secondsReady: isHere ? entry.asset.duration ?? 0 : 0))
        }
        var asset = entry.asset
        let progress = run.meter.progress(now: store.time.monotonic)
        if progress.parts.total > 0 { asset.download?.take(progress) }
        return DownloadStatus(asset: asset, progress: progress)
    }
}

extension Asset {
    /// When its download was asked for.
    var added: Date { download?.added ?? created }
}

extension Download {
    mutating func take(_ progress: DownloadProgress) {
        bytes = progress.bytes
        length = progress.length
        isLengthKnown = progress.isLengthKnown
        parts = progress.parts
    }
}
