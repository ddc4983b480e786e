internal import MediaCache

/// What is said of each download, here and on the disk.
extension Downloads {
    func enter(_ asset: Asset) {
        let group = TransferGroup(
            name: asset.id.rawValue, rank: -(asset.download?.priority ?? 0), limit: limits.transfersPerAsset)
        // A process that ended well leaves none running.
        let rechecks = asset.download?.state == .running
        entries[asset.id] = Entry(asset: asset, group: group, rechecks: rechecks)
        queue.add(
            asset.id, priority: asset.download?.priority ?? 0, isWanted: asset.download?.state.isWanted ?? false)
    }

    func requireEntry(_ id: AssetID) throws {
        guard let entry = entries[id], !entry.isLeaving else {
            throw CacheError(.notFound, "there is no download of an asset \(id)")
        }
    }

    func setState(_ state: DownloadState, of id: AssetID) {
        guard let known = entries[id]?.asset.download?.state, known != state else {
            return wakeWaiters(of: id)
        }
        update(id) { $0.download?.state = state }
        hub.send(.state(id, state))
        wakeWaiters(of: id)
    }

    func wakeWaiters(of id: AssetID) {
        if entries[id]?.asset.download?.state.isEnded == true { wakeAll(of: id) }
    }

    /// Whoever waits looks again.
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

    /// Writes what has changed, one record after the other; returns when it's durable.
    func write() async {
        // What changed while another writes is written by the first of those who wait; the others wait for that one too.
        while isWriting { await withCheckedContinuation { writeWaiters.append($0) } }
        guard !unwritten.isEmpty else { return }
        isWriting = true
        var failed: Set<AssetID> = []
        while let id = unwritten.popFirst() {
            guard let asset = entries[id]?.asset else { continue }
            let written: Void? = try? await shelf.keep(asset)
            if written == nil { failed.insert(id) }
        }
        // On a full disk, or in a folder that can't be written: with the next change.
        unwritten = failed
        isWriting = false
        let waiters = writeWaiters
        writeWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Another selection is wanted than the one by which it was found out what an asset consists of: that says so of
    /// itself, so that the next run finds it out anew, in whatever process. Until then all of it stays as it is.
    func outdateContents(of id: AssetID) async throws {
        // It's wanted again when what is wanted is known.
        queue.change(id) { $0.isWanted = false }
        reconcile()
        await entries[id]?.task?.value
        guard let selection = entries[id]?.asset.download?.selection else { return }
        let known: AssetContents?
        do {
            known = try await shelf.contents(of: id)
        } catch let error as CacheError where error.code == .storage {
            // What can't be read serves nobody, and would stand in the way.
            return try await shelf.removeContents(of: id)
        }
        guard var known, known.selection == nil else { return }
        known.selection = selection
        try await shelf.setContents(known, of: id)
    }

    /// Another selection would replace what is recorded of a live stream, which can't be fetched again.
    ///
    /// - Throws: `CacheError` with `invalidSetting` where something is recorded; `storage`.
    func requireNoRecording(of asset: Asset) async throws {
        var isRecorded = try await work.liveDownloads.hasRecording(of: asset.id)
        if !isRecorded { isRecorded = try await hasRecordedContents(asset.id) }
        guard isRecorded else { return }
        throw CacheError(
            .invalidSetting,
            "\(asset.url) is recorded with another selection of variants and languages, which can't be changed; end the "
                + "recording, export what is recorded, and remove the download first")
    }

    private func hasRecordedContents(_ id: AssetID) async throws -> Bool {
        do {
            return try await shelf.contents(of: id)?.parts.contains { $0.keptAs != nil } ?? false
        } catch let error as CacheError where error.code == .storage {
            return false
        }
    }

    /// An asset came complete by another way: what is known of its download is what the shelf says.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func adopt(_ id: AssetID) async throws {
        guard let asset = try await shelf.asset(id), asset.download != nil, entries[id]?.run == nil else { return }
        if entries[id] == nil { enter(asset) } else { entries[id]?.asset = asset }
        queue.change(id) { $0.isWanted = false }
        hub.send(.added(id))
        wakeWaiters(of: id)
    }
}
