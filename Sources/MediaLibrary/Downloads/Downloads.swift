internal import Foundation
internal import HTTPTypes
public import MediaCache
internal import Synchronization

/// The downloads of a store.
///
/// Requests only change which downloads are active; runs are then started and stopped accordingly. Requests may
/// therefore be made at any time, in any order and repeatedly.
public actor Downloads {
    /// A function that returns the transfer settings for a URL, with the header fields of an identity and of an asset.
    public typealias SettingsSource =
        @Sendable (_ url: ResourceURL, _ identity: ProfileIdentity?, _ headers: [String: String]) throws ->
        TransferSettings

    /// The number of waits for the network without progress after which a download fails instead of waiting again.
    static let maximumFailedWaits = 6

    struct Entry {
        var asset: Asset
        var run: DownloadRun?
        var task: Task<Void, Never>?
        let group: TransferGroup
        /// A task that retries the download when its obstacle may no longer exist.
        var timer: Task<Void, Never>?
        /// The number of consecutive waits without progress, and of those among them for the network.
        var failedWaits = (all: 0, network: 0)
        /// Whether cached parts are checked again, because an earlier process was killed while fetching them.
        var rechecks = false
        var isBeingRemoved = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let store: CacheStore
    let assetStore: AssetStore
    let loader: PlaylistLoader
    let settings: SettingsSource
    let refreshSource: (@Sendable (Asset) async throws -> ResourceURL?)?
    let waitForTransfers: (@Sendable (ResourceURL) async -> Void)?
    let conditions: any DownloadConditions
    nonisolated let hub = EventHub<DownloadEvent> { .dropped(count: $0) }

    var entries: [AssetID: Entry] = [:]
    var queue = DownloadQueue()
    var policy: DownloadPolicy
    var limits: DownloadLimits
    var watchers: [Task<Void, Never>] = []
    /// A task that checks the conditions again when the permitted hours begin or end.
    var boundary: Task<Void, Never>?
    var networkName = ""
    var isStopped = false
    /// The downloads with changed records that haven't been written.
    var unwritten: Set<AssetID> = []
    /// The ended states whose events are sent when the records have been written.
    var unsentEnds: [AssetID: DownloadState] = [:]
    var isWriting = false
    var writeWaiters: [CheckedContinuation<Void, Never>] = []
    /// The runs, readable outside this actor.
    nonisolated let runs = Mutex<[AssetID: DownloadRun]>([:])

    /// Creates the downloads of a store. No download runs before ``start(resuming:)``.
    ///
    /// - Parameters:
    ///   - loader: The loader of playlists, shared with playback.
    ///   - settings: The source of transfer settings; nil means the store's settings with the asset's header fields.
    ///   - refreshSource: A function that returns a new URL for an asset with an expired link; nil if URLs of assets
    ///     can't be refreshed. New URLs of parts are read from the playlists in any case.
    ///   - waitForTransfers: A function that is called before a part is requested, and returns when no transfer outside
    ///     the store, such as a background transfer, is receiving the part; nil if there are no such transfers.
    public init(
        store: CacheStore, assetStore: AssetStore, loader: PlaylistLoader, limits: DownloadLimits = DownloadLimits(),
        policy: DownloadPolicy = DownloadPolicy(), conditions: any DownloadConditions = SteadyConditions(),
        settings: SettingsSource? = nil, refreshSource: (@Sendable (Asset) async throws -> ResourceURL?)? = nil,
        waitForTransfers: (@Sendable (ResourceURL) async -> Void)? = nil
    ) {
        self.store = store
        self.assetStore = assetStore
        self.loader = loader
        self.limits = limits
        self.policy = policy
        self.conditions = conditions
        self.settings = settings ?? Self.storeSettings(store)
        self.refreshSource = refreshSource
        self.waitForTransfers = waitForTransfers
    }

    static func storeSettings(_ store: CacheStore) -> SettingsSource {
        { url, identity, headers in
            var settings = store.transfers
            guard identity != nil || !headers.isEmpty else { return settings }
            settings.headerProfiles.add(try HTTPFields(named: headers), as: identity, to: url)
            return settings
        }
    }

    // MARK: - Starting and stopping

    /// Restores the downloads of earlier processes: queued, running and waiting ones continue, paused ones stay paused.
    /// Does nothing if downloads have already been started.
    ///
    /// - Parameter resuming: Whether downloads continue now. Otherwise they wait for a later process, unless they're
    ///   resumed.
    /// - Throws: `CacheError` with `storage`.
    public func start(resuming: Bool = true) async throws {
        // Before the first answer, a metered network may count as unmetered.
        if policy.onlyUnmetered { await conditions.refresh() }
        guard watchers.isEmpty else { return }
        isStopped = false
        for (id, entry) in entries where entry.asset.download?.state.isActive == true {
            queue.change(id) { $0.isBlocked = false }
            setState(.queued, of: id)
        }
        for asset in try await assetStore.assets().sorted(by: { $0.added < $1.added }) where entries[asset.id] == nil {
            guard let download = asset.download else { continue }
            enter(asset)
            guard resuming else {
                queue.change(asset.id) { $0.isActive = false }
                continue
            }
            if download.state.isActive { setState(.queued, of: asset.id) }
        }
        networkName = conditions.current.networkName
        watch()
        conditionsChanged()
    }

    /// Stops all runs, and ends all streams of events. The downloads continue with the next ``start(resuming:)``, in
    /// this process or another.
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

    /// Returns an independent stream of the events from now on. It buffers up to 512 events; further events are dropped
    /// and counted in ``DownloadEvent/dropped(count:)``.
    public nonisolated func events() -> AsyncStream<DownloadEvent> { hub.stream() }

    /// Returns a stream of the events that match a condition. Other events don't use the stream's buffer.
    package nonisolated func events(
        where isIncluded: @escaping @Sendable (DownloadEvent) -> Bool
    ) -> AsyncStream<DownloadEvent> { hub.stream(where: isIncluded) }

    private func watch() {
        // Other events are excluded, so that reads don't wake the task.
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
        where run.meter.note(key: progress.key, bytesCached: progress.bytesCached, length: progress.length, now: now) {
            run.report(isFinal: false)
        }
    }

    /// Continues the download of an asset with the named part, because a player requested that part.
    public nonisolated func notePlayback(_ name: String, of id: AssetID) { runs.withLock { $0[id] }?.prefer(name) }

    /// Returns a new URL for a part with an expired link, and the address scope of the playlist that contains the URL;
    /// nil if there is none, or the asset isn't being downloaded.
    package nonisolated func refreshedURL(
        for url: ResourceURL, of id: AssetID
    ) async throws -> (url: ResourceURL, scope: AddressScope)? {
        try await runs.withLock { $0[id] }?.refreshedURL(for: url)
    }

    /// Returns the recording of a live stream that is being downloaded; nil for any other asset.
    package nonisolated func recording(of id: AssetID) -> Recording? { runs.withLock { $0[id] }?.recording }

    // MARK: - Status

    /// Returns the status of a download; nil if the asset has none.
    public func status(of id: AssetID) -> DownloadStatus? { entries[id].map(status) }

    /// Returns the status of all downloads, in the order in which they were added.
    public func statuses() -> [DownloadStatus] {
        entries.values.sorted { ($0.asset.added, $0.asset.id.rawValue) < ($1.asset.added, $1.asset.id.rawValue) }
            .map(status)
    }

    /// Waits until a download has ended or been removed, or all have stopped, and returns its status; nil if there is
    /// none. Keeps waiting while the download is paused.
    public func ended(_ id: AssetID) async -> DownloadStatus? {
        while let entry = entries[id], !entry.isBeingRemoved, entry.asset.download?.state.isEnded == false, !isStopped {
            await withCheckedContinuation { entries[id]?.waiters.append($0) ?? $0.resume() }
        }
        return entries[id].map(status)
    }

    /// Whether any download is active. Downloads that wait because of an obstacle, or for a later process, aren't.
    public var isBusy: Bool { queue.items.values.contains { $0.isActive && !$0.isBlocked } && obstacle == nil }

    /// Waits until ``isBusy`` is false, all downloads have stopped, or the task is cancelled.
    public func idle() async {
        let events = events()
        guard isBusy, !isStopped else { return }
        for await _ in events where !isBusy { return }
    }

    private func status(_ entry: Entry) -> DownloadStatus {
        let download = entry.asset.download ?? Download(added: entry.asset.created)
        guard let run = entry.run else {
            let isComplete = download.state == .complete
            var asset = entry.asset
            // The stored state remains, since it's the one with which the later process continues.
            if download.state.isActive, queue.items[asset.id]?.isActive == false {
                asset.download?.state = .waiting(Self.awaitedServer(download.state))
            }
            return DownloadStatus(
                asset: asset,
                progress: DownloadProgress(
                    bytes: download.bytes, length: download.length, isLengthExact: download.isLengthExact,
                    parts: download.parts, rate: 0, secondsReady: isComplete ? entry.asset.duration ?? 0 : 0))
        }
        var asset = entry.asset
        let progress = run.meter.progress(now: store.time.monotonic)
        if progress.parts.total > 0 { asset.download?.apply(progress) }
        return DownloadStatus(asset: asset, progress: progress)
    }
}

extension Downloads {
    /// Returns the obstacle of a download that no process continues.
    private static func awaitedServer(_ state: DownloadState) -> DownloadObstacle {
        var text = "nothing runs it at present; it continues when it's resumed, or when a server starts"
        if case .waiting(let obstacle) = state { text += " (last obstacle: \(obstacle.message))" }
        return DownloadObstacle(.server, text)
    }
}

extension Asset {
    /// The time at which the download was added, or the asset was created.
    var added: Date { download?.added ?? created }
}

extension Download {
    mutating func apply(_ progress: DownloadProgress) {
        bytes = progress.bytes
        length = progress.length
        isLengthExact = progress.isLengthExact
        parts = progress.parts
    }
}
