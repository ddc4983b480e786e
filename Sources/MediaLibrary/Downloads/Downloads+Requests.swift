internal import Foundation
internal import MediaCache

/// Requests by the user. They're recorded immediately, and applied by `reconcile()`.
extension Downloads {
    /// The maximum absolute value of a priority. Greater values are clamped.
    private static let greatestPriority = 1_000_000

    /// Adds a download. If the asset already has one, changes that download according to the request, and resumes it
    /// unless the request starts paused. If it's complete, parts that have been removed since are fetched again.
    ///
    /// - Returns: The changed asset.
    /// - Throws: `CacheError`: `closed` after ``stop()``; `invalidSetting` for an invalid header field, or for another
    ///   selection of a live stream that has recorded media; `storage`.
    public func add(_ request: DownloadRequest) async throws -> Asset {
        guard !isStopped else { throw CacheError(.closed, "downloads have stopped") }
        let settings = try settings(request.url, request.identity, request.headers)
        let read = ReadRequest(url: request.url.withoutUserInfo, settings: settings)
        let key = store.key(of: read)
        while let removing = entries.first(where: { $0.value.isBeingRemoved && $0.value.asset.key == key })?.key {
            await removalEnded(removing)
        }
        let asset = try await assetStore.add(Asset(key: key, url: request.url.description, created: store.now))
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
            if let title = request.title {
                asset.setTitle(title, from: .user)
            } else if asset.title == nil {
                asset.setTitle(AssetTitle.title(for: request.url), from: .url)
            }
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
        // A run doesn't see changes to its asset, so it's restarted.
        let after = entries[asset.id]?.asset
        if before?.url != after?.url || before?.download?.headers != after?.download?.headers
            || before?.download?.endsAt != after?.download?.endsAt
        {
            entries[asset.id]?.task?.cancel()
        }
        if !wasKnown { hub.send(.added(asset.id)) }
        // A complete download is checked again, because parts may have been removed.
        if request.startsPaused { try await pause(asset.id) } else { activate(asset.id) }
        await write()
        return entries[asset.id]?.asset ?? asset
    }

    /// Stops a download, and returns when no more bytes are received. Does nothing if it has ended or is paused.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such download.
    public func pause(_ id: AssetID) async throws {
        try requireEntry(id)
        guard entries[id]?.asset.download?.state.isEnded == false else { return }
        deactivate(id)
        reconcile()
        await entries[id]?.task?.value
        await write()
    }

    /// Pauses all downloads.
    public func pauseAll() async {
        let ids = entries.filter { $0.value.asset.download?.state.isEnded == false }.map(\.key)
        for id in ids { deactivate(id) }
        reconcile()
        for id in ids { await entries[id]?.task?.value }
        await write()
    }

    /// Resumes a download, including one that failed or has holes. Does nothing if it's complete.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such download.
    public func resume(_ id: AssetID) async throws {
        try requireEntry(id)
        guard let state = entries[id]?.asset.download?.state, state != .complete else { return }
        activate(id)
        await write()
    }

    /// Resumes all downloads that aren't complete, including failed ones and ones with holes.
    public func resumeAll() async {
        for (id, entry) in entries where entry.asset.download?.state != .complete { activate(id) }
        await write()
    }

    /// Ends the recording of a live stream. The recorded part becomes the asset's contents. A paused or failed download
    /// is resumed for that purpose. Does nothing for other assets.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such download, or `storage`.
    public func finish(_ id: AssetID) async throws {
        try requireEntry(id)
        let contents = try await assetStore.contents(of: id)
        try requireEntry(id)
        // Before the first run, it may be unknown whether the stream is live.
        guard contents?.isGrowing ?? (queue.items[id]?.isActive == true) else { return }
        let now = store.now
        update(id) { $0.download?.endsAt = now }
        if let run = entries[id]?.run { try await run.finish() } else { activate(id) }
        await write()
    }

    /// Changes the priority of a download. Values outside −1,000,000 to 1,000,000 are clamped.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such download.
    public func setPriority(_ priority: Int, of id: AssetID) async throws {
        try requireEntry(id)
        let priority = min(max(priority, -Self.greatestPriority), Self.greatestPriority)
        assignPriority(id, priority)
        reconcile()
        await write()
    }

    /// Arranges downloads in the given order by changing their priorities. The last one receives the lowest priority
    /// among them, so that downloads added later follow it, or a lower one if the others would exceed the maximum.
    /// Other downloads keep their priorities.
    ///
    /// - Throws: `CacheError` with `notFound` if one of the downloads doesn't exist. In that case, none is changed.
    public func setOrder(_ ids: [AssetID]) async throws {
        for id in ids { try requireEntry(id) }
        let priorities = ids.map { entries[$0]?.asset.download?.priority ?? 0 }.sorted()
        var least = -Self.greatestPriority
        for (index, (id, known)) in zip(ids.reversed(), priorities).enumerated() {
            // The later ones have different priorities up to the maximum.
            let most = Self.greatestPriority - (ids.count - 1 - index)
            let priority = min(max(known, least), most)
            least = priority + 1
            assignPriority(id, priority)
        }
        reconcile()
        await write()
    }

    private func assignPriority(_ id: AssetID, _ priority: Int) {
        update(id) { $0.download?.priority = priority }
        entries[id]?.group.rank = -priority
        queue.change(id) { $0.priority = priority }
    }

    /// Cancels a download, and removes the asset and all resources that no other asset shares. With `keepingData`, the
    /// asset remains, and its resources may be evicted.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such download, or `storage`.
    public func cancel(_ id: AssetID, keepingData: Bool = false) async throws {
        if entries[id]?.isBeingRemoved == true { return await removalEnded(id) }
        try requireEntry(id)
        entries[id]?.isBeingRemoved = true
        entries[id]?.timer?.cancel()
        queue.remove(id)
        reconcile()
        await entries[id]?.task?.value
        // If this process is killed during the removal, the next one must not continue the download.
        setState(.paused, of: id)
        await write()
        do {
            try await removeResources(id, keepingData)
        } catch {
            entries[id]?.isBeingRemoved = false
            queue.add(id, priority: entries[id]?.asset.download?.priority ?? 0, isActive: false)
            wakeAll(of: id)
            throw error
        }
        wakeAll(of: id)
        entries[id] = nil
        hub.send(.removed(id))
    }

    private func removeResources(_ id: AssetID, _ keepingData: Bool) async throws {
        guard let asset = entries[id]?.asset else { return }
        try await dependencies.liveDownloads.remove(asset, keepingMedia: keepingData)
        if keepingData {
            try await store.setPinned(false, keys: try await dependencies.resources.exclusiveKeys(of: asset))
            try await assetStore.removeDownload(of: id)
        } else {
            try await remove(asset)
        }
    }

    private func remove(_ asset: Asset) async throws {
        _ = try await store.remove(keys: try await dependencies.resources.exclusiveKeys(of: asset))
        try await assetStore.remove(asset.id)
    }

    private func removalEnded(_ id: AssetID) async {
        guard entries[id]?.isBeingRemoved == true else { return }
        await withCheckedContinuation { entries[id]?.waiters.append($0) ?? $0.resume() }
    }

    /// Removes an asset with or without a download, and the resources that no other asset shares.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such asset, or `storage`.
    public func removeAsset(_ id: AssetID) async throws {
        if entries[id]?.isBeingRemoved == false { return try await cancel(id) }
        try await remove(try await assetStore.requireAsset(id))
    }

    /// Removes the assets whose resources were removed, and cancels their downloads.
    ///
    /// - Parameters:
    ///   - keys: The cache keys of the removed resources.
    ///   - sparingDownloads: Whether assets with downloads remain.
    /// - Throws: `CacheError` with `storage`.
    public func removeAssets(withKeys keys: Set<String>, sparingDownloads: Bool = false) async throws {
        var keys = keys
        for (id, entry) in entries where keys.contains(entry.asset.key) && !entry.isBeingRemoved {
            if sparingDownloads { keys.remove(entry.asset.key) } else { try await cancel(id) }
        }
        try await assetStore.remove(withKeys: keys)
    }

    /// Changes the title of an asset with or without a download.
    ///
    /// - Throws: `CacheError` with `notFound` if there is no such asset, or `storage`.
    public func setTitle(_ title: String, of id: AssetID) async throws {
        try await assetStore.setTitle(title, of: id)
        update(id) { $0.setTitle(title, from: .user) }
        // A concurrent write of the download's record may have stored the old title.
        await write()
    }

    /// Stores the metadata of the media of an asset with or without a download. Does nothing if the asset has been
    /// removed. Throws `CacheError` with `storage`.
    func setMetadata(_ found: FileMetadata, of id: AssetID) async throws {
        try await assetStore.setMetadata(found, of: id)
        update(id) { $0.apply(found) }
        // As in `setTitle(_:of:)`.
        await write()
    }

    /// Changes the limits on concurrent downloads and transfers.
    public func setLimits(_ limits: DownloadLimits) {
        self.limits = limits
        for entry in entries.values { entry.group.limit = limits.transfersPerAsset }
        reconcile()
    }

    /// Changes the conditions under which downloads run.
    public func setPolicy(_ policy: DownloadPolicy) {
        self.policy = policy
        conditionsChanged()
    }
}
