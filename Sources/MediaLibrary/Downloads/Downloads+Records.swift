internal import MediaCache

extension Downloads {
    func enter(_ asset: Asset) {
        let group = TransferGroup(
            name: asset.id.rawValue, rank: -(asset.download?.priority ?? 0), limit: limits.transfersPerAsset)
        // A process that stops properly leaves no download in this state.
        let rechecks = asset.download?.state == .running
        entries[asset.id] = Entry(asset: asset, group: group, rechecks: rechecks)
        queue.add(asset.id, priority: asset.download?.priority ?? 0, isActive: asset.download?.state.isActive ?? false)
    }

    func requireEntry(_ id: AssetID) throws {
        guard let entry = entries[id], !entry.isBeingRemoved else {
            throw CacheError(.notFound, "there is no download of asset \(id)")
        }
    }

    func setState(_ state: DownloadState, of id: AssetID) {
        guard let known = entries[id]?.asset.download?.state, known != state else { return wakeWaiters(of: id) }
        sendEndedState(of: id)
        update(id) { $0.download?.state = state }
        if state.isEnded { unsentEnds[id] = state } else { hub.send(.state(id, state)) }
        wakeWaiters(of: id)
    }

    /// Sends the event of a state in which a download has ended, unless it was sent.
    private func sendEndedState(of id: AssetID) {
        guard let state = unsentEnds.removeValue(forKey: id) else { return }
        hub.send(.state(id, state))
    }

    func wakeWaiters(of id: AssetID) {
        if entries[id]?.asset.download?.state.isEnded == true { wakeAll(of: id) }
    }

    func wakeAll(of id: AssetID) {
        let waiters = entries[id]?.waiters ?? []
        entries[id]?.waiters = []
        for waiter in waiters { waiter.resume() }
    }

    func update(_ id: AssetID, _ change: (inout Asset) -> Void) {
        guard var asset = entries[id]?.asset else { return }
        change(&asset)
        entries[id]?.asset = asset
        unwritten.insert(id)
    }

    /// Writes the changed records, and returns when they're durable. Records that can't be written stay marked. Sends
    /// the events of ended downloads after their records were written, since a subscriber may read them at once.
    func write() async {
        // The first waiting caller writes the records that changed during the write. The other callers wait for it.
        while isWriting { await withCheckedContinuation { writeWaiters.append($0) } }
        guard !unwritten.isEmpty else { return }
        isWriting = true
        var failed: Set<AssetID> = []
        while let id = unwritten.popFirst() {
            guard let asset = entries[id]?.asset else { continue }
            let written: Void? = try? await assetStore.updateRecord(from: asset)
            if written == nil { failed.insert(id) }
            // Otherwise, the record changed during the write.
            if !unwritten.contains(id) { sendEndedState(of: id) }
        }
        // Failed writes are retried with the next change.
        unwritten = failed
        isWriting = false
        let waiters = writeWaiters
        writeWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Marks the contents of a download as outdated, because its selection has changed. They remain in use until the
    /// next run, in this or another process, has determined new ones.
    func outdateContents(of id: AssetID) async throws {
        // The caller activates the download again afterwards.
        queue.change(id) { $0.isActive = false }
        reconcile()
        await entries[id]?.task?.value
        guard let selection = entries[id]?.asset.download?.selection else { return }
        let known: AssetContents?
        do {
            known = try await assetStore.contents(of: id)
        } catch let error as CacheError where error.code == .storage {
            // Unreadable contents must not prevent the creation of new ones.
            return try await assetStore.removeContents(of: id)
        }
        guard var known, known.selection == nil else { return }
        known.selection = selection
        try await assetStore.setContents(known, of: id)
    }

    /// Throws `CacheError` with `invalidSetting` if an asset has recorded media. Another selection would replace that
    /// media, which can't be fetched again.
    func requireNoRecording(of asset: Asset) async throws {
        var isRecorded = try await dependencies.liveDownloads.hasRecording(of: asset.id)
        if !isRecorded { isRecorded = try await hasRecordedContents(asset.id) }
        guard isRecorded else { return }
        throw CacheError(
            .invalidSetting,
            "\(asset.url) is recorded with another selection of variants and languages, which can't be changed; end the "
                + "recording, export the recorded part, and remove the download first")
    }

    private func hasRecordedContents(_ id: AssetID) async throws -> Bool {
        do {
            return try await assetStore.contents(of: id)?.parts.contains { $0.storedAs != nil } ?? false
        } catch let error as CacheError where error.code == .storage {
            return false
        }
    }

    /// Updates a download from its asset's record, after an import has completed the asset. Does nothing if the asset
    /// has no download, or the download is running.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func adopt(_ id: AssetID) async throws {
        guard let asset = try await assetStore.asset(id), asset.download != nil, entries[id]?.run == nil else { return }
        if entries[id] == nil { enter(asset) } else { entries[id]?.asset = asset }
        queue.change(id) { $0.isActive = false }
        hub.send(.added(id))
        wakeWaiters(of: id)
    }
}
