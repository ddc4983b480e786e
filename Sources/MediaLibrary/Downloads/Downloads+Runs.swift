internal import Foundation
internal import MediaCache
internal import Synchronization

/// Making it so: runs are started and stopped until those run that are to.
extension Downloads {
    /// Starts and stops runs until those that are to run do, and no others.
    func reconcile() {
        guard !isStopped else { return }
        let wanted = queue.running(atMost: obstacle == nil ? limits.assets : 0)
        for (id, entry) in entries where entry.run != nil && !wanted.contains(id) {
            entry.task?.cancel()
        }
        for id in wanted where entries[id]?.run == nil { start(id) }
    }

    /// The hours of the day begin and end by themselves.
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

    /// What keeps all of them from running.
    var obstacle: DownloadObstacle? {
        policy.obstacle(under: conditions.current, at: store.now)
    }

    /// What a run that begins now works with.
    var work: DownloadWork {
        DownloadWork(
            store: store, shelf: shelf, loader: loader, events: hub, policy: policy, transferSettings: settings,
            refreshSource: refreshSource)
    }

    func start(_ id: AssetID) {
        guard let entry = entries[id], !entry.isLeaving else { return }
        entry.timer?.cancel()
        let run = DownloadRun(entry.asset, work: work, group: entry.group, rechecks: entry.rechecks)
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
                asset.download?.take(progress)
                asset.download?.notes = notes
                asset.download?.add(missed)
                asset.kind = contents.playlists.isEmpty ? .file : .stream
                if contents.duration > 0 { asset.duration = contents.duration }
            }
        }
        if run.hasProgressed { entries[id]?.fruitless = 0 }
        if !entry.isLeaving { settle(id, outcome) }
        run.report(isFinal: true)
        reconcile()
        Task { await self.write() }
    }

    /// What a run's end means for what is wanted.
    func settle(_ id: AssetID, _ outcome: DownloadRun.Outcome) {
        let isWanted = queue.items[id]?.isWanted ?? false
        switch outcome {
        case .stopped:
            // It was paused, or others go first, or something came between: it's queued unless it rests.
            guard isWanted else { return setState(.paused, of: id) }
            setState(obstacle.map { .waiting($0) } ?? .queued, of: id)
        case .ended(let holes, let count):
            entries[id]?.rechecks = false
            queue.change(id) { $0.isWanted = false }
            update(id) {
                $0.download?.holes = holes
                $0.download?.holeCount = count
            }
            setState(count == 0 ? .complete : .completeWithHoles, of: id)
        case .failed(let failure):
            queue.change(id) { $0.isWanted = false }
            setState(.failed(failure), of: id)
        case .waiting(let obstacle):
            guard isWanted else { return setState(.paused, of: id) }
            wait(id, obstacle)
        }
    }

    /// A download goes on later by itself; one that has waited in vain too often has failed.
    func wait(_ id: AssetID, _ obstacle: DownloadObstacle) {
        let fruitless = (entries[id]?.fruitless ?? 0) + 1
        entries[id]?.fruitless = fruitless
        // Room, the cache and an origin that names a moment may take as long as they like.
        guard fruitless <= Self.mostFruitlessWaits || obstacle.kind != .network else {
            queue.change(id) { $0.isWanted = false }
            return setState(
                .failed(DownloadFailure(code: obstacle.kind.rawValue, message: obstacle.message, isRetryable: true)),
                of: id)
        }
        let backoff = Duration.seconds(min(60, 1 << min(fruitless, 6)))
        let until = obstacle.until.map { Duration.seconds(max(0, $0.timeIntervalSince(store.now))) } ?? backoff
        var obstacle = obstacle
        obstacle.until = store.now.addingTimeInterval(until.seconds)
        queue.change(id) { $0.isHeldUp = true }
        setState(.waiting(obstacle), of: id)
        let time = store.time
        entries[id]?.timer?.cancel()
        entries[id]?.timer = Task { [weak self] in
            guard (try? await time.sleep(for: until)) != nil else { return }
            await self?.goOn(id)
        }
    }

    /// What a download waited for may have come.
    func goOn(_ id: AssetID) {
        guard queue.items[id]?.isHeldUp == true, entries[id]?.run == nil else { return }
        queue.change(id) { $0.isHeldUp = false }
        setState(.queued, of: id)
        reconcile()
    }

    func conditionsChanged() {
        let network = conditions.current.networkName
        if network != networkName { store.networkChanged() }
        networkName = network
        let obstacle = obstacle
        for (id, entry) in entries {
            guard let state = entry.asset.download?.state, state.isWanted, entry.run == nil else { continue }
            // What the origin asked for holds whatever else does.
            if case .waiting(let waited) = state, waited.kind == .retryAfter { continue }
            if let obstacle {
                setState(.waiting(obstacle), of: id)
            } else if case .waiting = state {
                queue.change(id) { $0.isHeldUp = false }
                setState(.queued, of: id)
            }
        }
        reconcile()
        watchHours()
    }

    func want(_ id: AssetID) {
        guard entries[id]?.isLeaving == false else { return }
        entries[id]?.timer?.cancel()
        entries[id]?.fruitless = 0
        queue.change(id) {
            $0.isWanted = true
            $0.isHeldUp = false
        }
        if entries[id]?.run == nil { setState(obstacle.map { .waiting($0) } ?? .queued, of: id) }
        reconcile()
    }

    func rest(_ id: AssetID) {
        entries[id]?.timer?.cancel()
        queue.change(id) { $0.isWanted = false }
        // One that runs says so itself when it has stopped.
        if entries[id]?.run == nil { setState(.paused, of: id) }
    }
}
