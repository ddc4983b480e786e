internal import Foundation
internal import MediaCache
internal import Synchronization

extension Downloads {
    /// Starts the runs of active downloads, and stops all others.
    func reconcile() {
        guard !isStopped else { return }
        let active = queue.running(atMost: obstacle == nil ? limits.assets : 0)
        for (id, entry) in entries where entry.run != nil && !active.contains(id) { entry.task?.cancel() }
        for id in active where entries[id]?.run == nil { start(id) }
    }

    private func watchHours() {
        boundary?.cancel()
        boundary = nil
        guard !isStopped, let next = policy.nextChange(after: store.now) else { return }
        let (time, wait) = (store.time, Duration.seconds(max(1, next.timeIntervalSince(store.now))))
        boundary = Task { [weak self] in
            guard (try? await time.sleep(for: wait)) != nil else { return }
            await self?.conditionsChanged()
        }
    }

    /// The obstacle that blocks all downloads; nil if there is none.
    var obstacle: DownloadObstacle? { policy.obstacle(under: conditions.current, at: store.now) }

    var dependencies: DownloadDependencies {
        DownloadDependencies(
            store: store, assetStore: assetStore, loader: loader, events: hub, policy: policy,
            transferSettings: settings, refreshSource: refreshSource, waitForTransfers: waitForTransfers)
    }

    func start(_ id: AssetID) {
        guard let entry = entries[id], !entry.isBeingRemoved else { return }
        entry.timer?.cancel()
        let run = DownloadRun(entry.asset, dependencies: dependencies, group: entry.group, rechecks: entry.rechecks)
        entries[id]?.run = run
        runs.withLock { $0[id] = run }
        setState(.running, of: id)
        entries[id]?.task = Task(priority: .utility) {
            let outcome = await run.run()
            self.runEnded(id, run, outcome)
        }
    }

    func runEnded(_ id: AssetID, _ run: DownloadRun, _ outcome: DownloadRun.Outcome) {
        runs.withLock { $0[id] = nil }
        guard let entry = entries[id], entry.run === run else { return }
        entries[id]?.run = nil
        entries[id]?.task = nil
        let progress = run.meter.progress(now: store.time.monotonic)
        let (contents, notes, missed) = (run.contents, run.notes, run.missed)
        update(id) { asset in
            if progress.parts.total > 0 {
                asset.download?.apply(progress)
                asset.download?.notes = notes
                asset.download?.add(missed)
                asset.kind = contents.playlists.isEmpty ? .file : .stream
                if contents.duration > 0 { asset.duration = contents.duration }
                if let metadata = contents.metadata, case .ended = outcome { asset.apply(FileMetadata(metadata)) }
            }
        }
        if run.hasProgressed { entries[id]?.failedWaits = (all: 0, network: 0) }
        if !entry.isBeingRemoved { applyOutcome(id, outcome) }
        run.report(isFinal: true)
        reconcile()
        Task { await self.write() }
    }

    func applyOutcome(_ id: AssetID, _ outcome: DownloadRun.Outcome) {
        let isActive = queue.items[id]?.isActive ?? false
        switch outcome {
        case .stopped:
            // The download was paused or displaced by others, or the conditions changed.
            guard isActive else { return setState(.paused, of: id) }
            setState(obstacle.map { .waiting($0) } ?? .queued, of: id)
        case .ended(let holes, let count):
            entries[id]?.rechecks = false
            queue.change(id) { $0.isActive = false }
            update(id) {
                $0.download?.holes = holes
                $0.download?.holeCount = count
            }
            setState(count == 0 ? .complete : .completeWithHoles, of: id)
        case .failed(let failure):
            queue.change(id) { $0.isActive = false }
            setState(.failed(failure), of: id)
        case .waiting(let obstacle):
            guard isActive else { return setState(.paused, of: id) }
            wait(id, obstacle)
        }
    }

    /// Suspends a download until an obstacle no longer exists. If the obstacle is the network, and the download has
    /// waited too often without progress, it fails.
    func wait(_ id: AssetID, _ obstacle: DownloadObstacle) {
        var failedWaits = entries[id]?.failedWaits ?? (all: 0, network: 0)
        failedWaits.all += 1
        if obstacle.kind == .network { failedWaits.network += 1 }
        entries[id]?.failedWaits = failedWaits
        // Only waits for the network are limited. Waits for space, for the cache, or until a time set by the origin
        // aren't.
        guard failedWaits.network <= Self.maximumFailedWaits || obstacle.kind != .network else {
            queue.change(id) { $0.isActive = false }
            return setState(
                .failed(DownloadFailure(code: obstacle.kind.rawValue, message: obstacle.message, isRetryable: true)),
                of: id)
        }
        let backoff = Duration.seconds(min(60, 1 << min(failedWaits.all, 6)))
        let until = obstacle.until.map { Duration.seconds(max(0, $0.timeIntervalSince(store.now))) } ?? backoff
        var obstacle = obstacle
        obstacle.until = store.now.addingTimeInterval(until.seconds)
        queue.change(id) { $0.isBlocked = true }
        setState(.waiting(obstacle), of: id)
        let time = store.time
        entries[id]?.timer?.cancel()
        entries[id]?.timer = Task { [weak self] in
            guard (try? await time.sleep(for: until)) != nil else { return }
            await self?.unblock(id)
        }
    }

    func unblock(_ id: AssetID) {
        guard queue.items[id]?.isBlocked == true, entries[id]?.run == nil else { return }
        queue.change(id) { $0.isBlocked = false }
        setState(.queued, of: id)
        reconcile()
    }

    func conditionsChanged() {
        let network = conditions.current.networkName
        if network != networkName { store.networkChanged() }
        networkName = network
        let obstacle = obstacle
        for (id, entry) in entries {
            guard let state = entry.asset.download?.state, state.isActive, entry.run == nil,
                queue.items[id]?.isActive == true
            else { continue }
            // A delay requested by the origin applies regardless of the conditions.
            if case .waiting(let waited) = state, waited.kind == .retryAfter { continue }
            if let obstacle {
                setState(.waiting(obstacle), of: id)
            } else if case .waiting = state {
                queue.change(id) { $0.isBlocked = false }
                setState(.queued, of: id)
            }
        }
        reconcile()
        watchHours()
    }

    func activate(_ id: AssetID) {
        guard entries[id]?.isBeingRemoved == false else { return }
        entries[id]?.timer?.cancel()
        entries[id]?.failedWaits = (all: 0, network: 0)
        queue.change(id) {
            $0.isActive = true
            $0.isBlocked = false
        }
        if entries[id]?.run == nil { setState(obstacle.map { .waiting($0) } ?? .queued, of: id) }
        reconcile()
    }

    func deactivate(_ id: AssetID) {
        entries[id]?.timer?.cancel()
        queue.change(id) { $0.isActive = false }
        // If a run exists, the state is set once it has stopped.
        if entries[id]?.run == nil { setState(.paused, of: id) }
    }
}

/// A queue of downloads by priority.
struct DownloadQueue: Sendable {
    struct Item: Sendable {
        /// The priority. Higher values run first.
        var priority: Int
        /// The position among downloads of equal priority. Lower values run first.
        var order: Int
        var isActive: Bool
        var isBlocked = false
    }

    private(set) var items: [AssetID: Item] = [:]
    private var nextOrder = 0

    mutating func add(_ id: AssetID, priority: Int, isActive: Bool) {
        nextOrder += 1
        items[id] = Item(priority: priority, order: nextOrder, isActive: isActive)
    }

    mutating func remove(_ id: AssetID) { items[id] = nil }

    /// Changes the item of a download. Does nothing if the download isn't in the queue.
    mutating func change(_ id: AssetID, _ change: (inout Item) -> Void) {
        guard var item = items[id] else { return }
        change(&item)
        items[id] = item
    }

    /// Returns the downloads to run now, in order.
    func running(atMost limit: Int) -> [AssetID] {
        let ready = items.filter { $0.value.isActive && !$0.value.isBlocked }
        return ready.sorted { ($1.value.priority, $0.value.order) < ($0.value.priority, $1.value.order) }
            .prefix(max(0, limit)).map(\.key)
    }
}
