internal import Foundation
internal import MediaCache

/// What somebody wants of downloads: noted at once, and then made so.
extension Downloads {
    /// Greater ones count as this.
    private static let greatestPriority = 1_000_000

    /// Asks for an asset to be made complete. Asking again for what is known changes its selection, header fields and
    /// priority, and lets it go on; of one that is complete, what isn't here any more is fetched again.
    ///
    /// - Returns: the asset, as it is now.
    /// - Throws: `CacheError` with `storage`, `closed`, or `invalidSetting` for another selection of a live stream of which
    ///   something is recorded.
    public func add(_ request: DownloadRequest) async throws -> Asset {
        guard !isStopped else { throw CacheError(.closed, "downloads have stopped") }
        let settings = try settings(request.url, request.identity, request.headers)
        let read = ReadRequest(url: request.url.withoutUserInfo, settings: settings)
        let key = store.key(of: read)
        while let leaving = entries.first(where: { $0.value.isLeaving && $0.value.asset.key == key })?.key {
            await left(leaving)
        }
        let made = Asset(key: key, url: request.url.description, created: store.now)
        let asset = try await shelf.add(made)
        let wasKnown = entries[asset.id] != nil
        if !wasKnown { enter(asset) }
        let hasOtherSelection = entries[asset.id]?.asset.download.map { $0.selection != request.selection } ?? false
        if hasOtherSelection {
            try await requireNoRecording(of: asset)
            try await outdateContents(of: asset.id)
        }
        let now = store.now
        let priority = min(max(request.priority, -Self.greatestPriority), Self.greatestPriority)
        let before = entries[asset.id]?.asset
        update(asset.id) { asset in
            if let title = request.title { asset.title = title }
            asset.title = asset.title ?? AssetTitle.title(for: request.url)
            asset.url = request.url.description
            var download =
                asset.download ?? Download(selection: request.selection, headers: request.headers, added: now)
            download.selection = request.selection
            download.headers = request.headers
            download.priority = priority
            download.endsAt = request.followsFor.map { now.addingTimeInterval($0.seconds) }
            asset.download = download
        }
        entries[asset.id]?.group.rank = -priority
        queue.change(asset.id) { $0.priority = priority }
        // A run knows its asset as it was: with other fields it begins anew.
        let after = entries[asset.id]?.asset
        if before?.url != after?.url || before?.download?.headers != after?.download?.headers
            || before?.download?.endsAt != after?.download?.endsAt
        {
            entries[asset.id]?.task?.cancel()
        }
        if !wasKnown { hub.send(.added(asset.id)) }
        // One that is complete is looked at again: parts of it may have been removed since.
        if request.startsPaused { try await pause(asset.id) } else { want(asset.id) }
        await write()
        return entries[asset.id]?.asset ?? asset
    }

    /// Stops a download's bytes, and returns when none comes any more. One that has ended, or rests already, stays as it
    /// is.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such download.
    public func pause(_ id: AssetID) async throws {
        try requireEntry(id)
        guard entries[id]?.asset.download?.state.isEnded == false else { return }
        rest(id)
        reconcile()
        await entries[id]?.task?.value
        await write()
    }

    /// Stops all downloads' bytes.
    public func pauseAll() async {
        let ids = entries.filter { $0.value.asset.download?.state.isEnded == false }.map(\.key)
        for id in ids { rest(id) }
        reconcile()
        for id in ids { await entries[id]?.task?.value }
        await write()
    }

    /// Lets a download go on, one that failed or has holes too. One that is complete stays as it is.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such download.
    public func resume(_ id: AssetID) async throws {
        try requireEntry(id)
        guard let state = entries[id]?.asset.download?.state, state != .complete else { return }
        want(id)
        await write()
    }

    /// Lets all downloads go on that were paused or failed.
    public func resumeAll() async {
        for (id, entry) in entries where entry.asset.download?.state != .complete { want(id) }
        await write()
    }

    /// Ends a stream that still grows: what came of it is the whole asset. That takes a run, so one that was paused, or has
    /// failed, goes on to its end. Nothing for any other.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such download, or `storage`.
    public func finish(_ id: AssetID) async throws {
        try requireEntry(id)
        let contents = try await shelf.contents(of: id)
        try requireEntry(id)
        // While nobody knows whether it grows, one that is to run will find out.
        guard contents?.isGrowing ?? (queue.items[id]?.isWanted == true) else { return }
        let now = store.now
        update(id) { $0.download?.endsAt = now }
        if let run = entries[id]?.run { try await run.finish() } else { want(id) }
        await write()
    }

    /// Changes what goes first.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such download.
    public func setPriority(_ priority: Int, of id: AssetID) async throws {
        try requireEntry(id)
        let priority = min(max(priority, -Self.greatestPriority), Self.greatestPriority)
        place(id, priority)
        reconcile()
        await write()
    }

    /// Puts downloads into an order: of those that are named each goes before the next, and the last keeps the least
    /// priority that one of them has, so that what is added later goes behind it. Others keep theirs.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such download: then nothing is changed.
    public func setOrder(_ ids: [AssetID]) async throws {
        for id in ids { try requireEntry(id) }
        let priorities = ids.map { entries[$0]?.asset.download?.priority ?? 0 }.sorted()
        var least = -Self.greatestPriority
        for (id, wanted) in zip(ids.reversed(), priorities) {
            let priority = min(max(wanted, least), Self.greatestPriority)
            least = priority + 1
            place(id, priority)
        }
        reconcile()
        await write()
    }

    private func place(_ id: AssetID, _ priority: Int) {
        update(id) { $0.download?.priority = priority }
        entries[id]?.group.rank = -priority
        queue.change(id) { $0.priority = priority }
    }

    /// Ends a download. Its asset is forgotten, and what no other asset has of it is removed; or it stays an asset, and
    /// what came of it stays as what was played does, until room is needed.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such download, or `storage`.
    public func cancel(_ id: AssetID, keepingData: Bool = false) async throws {
        if entries[id]?.isLeaving == true { return await left(id) }
        try requireEntry(id)
        entries[id]?.isLeaving = true
        entries[id]?.timer?.cancel()
        queue.remove(id)
        reconcile()
        await entries[id]?.task?.value
        // Should this process end here, the next one doesn't go on with it.
        setState(.paused, of: id)
        await write()
        do {
            try await leave(id, keepingData)
        } catch {
            entries[id]?.isLeaving = false
            queue.add(id, priority: entries[id]?.asset.download?.priority ?? 0, isWanted: false)
            wakeAll(of: id)
            throw error
        }
        wakeAll(of: id)
        entries[id] = nil
        hub.send(.removed(id))
    }

    private func leave(_ id: AssetID, _ keepingData: Bool) async throws {
        guard let asset = entries[id]?.asset else { return }
        try await work.liveDownloads.remove(asset, keepingMedia: keepingData)
        if keepingData {
            try await store.setPinned(false, keys: try await work.resources.keysOfNoOther(than: asset))
            try await shelf.removeDownload(of: id)
        } else {
            try await remove(asset)
        }
    }

    /// Forgets an asset, with what no other has of it.
    private func remove(_ asset: Asset) async throws {
        _ = try await store.remove(keys: try await work.resources.keysOfNoOther(than: asset))
        try await shelf.remove(asset.id)
    }

    /// Returns when a download that is being removed is gone, or stays after all.
    private func left(_ id: AssetID) async {
        guard entries[id]?.isLeaving == true else { return }
        await withCheckedContinuation { entries[id]?.waiters.append($0) ?? $0.resume() }
    }

    /// Forgets an asset, downloaded or not, and removes what no other asset has of it.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such asset, or `storage`.
    public func removeAsset(_ id: AssetID) async throws {
        if entries[id]?.isLeaving == false { return try await cancel(id) }
        try await remove(try await shelf.requireAsset(id))
    }

    /// What assets begin with was removed: they are assets no more, and nothing is fetched for them.
    ///
    /// - Parameters:
    ///   - keys: the cache keys of what was removed.
    ///   - sparingDownloads: whether those stay that somebody asked to be complete.
    /// - Throws: `CacheError` with `storage`.
    public func removeAssets(withKeys keys: Set<String>, sparingDownloads: Bool = false) async throws {
        var keys = keys
        for (id, entry) in entries where keys.contains(entry.asset.key) && !entry.isLeaving {
            if sparingDownloads { keys.remove(entry.asset.key) } else { try await cancel(id) }
        }
        try await shelf.remove(withKeys: keys)
    }

    /// Changes what a person calls an asset, downloaded or not.
    ///
    /// - Throws: `CacheError` with `notFound` where there is no such asset, or `storage`.
    public func setTitle(_ title: String, of id: AssetID) async throws {
        try await shelf.setTitle(title, of: id)
        update(id) { $0.title = title }
        // A record that was being written meanwhile still had the old one.
        await write()
    }

    /// How many run at once from now on.
    public func setLimits(_ limits: DownloadLimits) {
        self.limits = limits
        for entry in entries.values { entry.group.limit = limits.transfersPerAsset }
        reconcile()
    }

    /// Under which conditions they run from now on.
    public func setPolicy(_ policy: DownloadPolicy) {
        self.policy = policy
        conditionsChanged()
    }
}
