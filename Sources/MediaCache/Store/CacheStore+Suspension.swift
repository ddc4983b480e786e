import Synchronization

extension CacheStore {
    /// Stops fills, commits received bytes, and releases the folder's lock and the database, as an app must before the
    /// system suspends it. Until ``resume()``, opening a read session throws ``CacheError/Code/closed``. Open sessions
    /// can still read cached bytes, and fail with that error at a hole.
    ///
    /// Has no effect if the store is suspended or closed.
    public func suspend() async {
        let isFirst = phase.withLock { phase in
            guard phase == .open else { return false }
            phase = .suspended
            return true
        }
        guard isFirst else { return }
        await stop()
        await engine.committer.pause()
        // Another process may change the folder during the suspension, so idle resources must be loaded again.
        for resource in table.all where resource.retire() { table.remove(resource) }
        await releaseFolder()
    }

    /// Acquires the folder again after ``suspend()``. Open sessions continue.
    ///
    /// Has no effect unless the store is suspended.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process owns the folder, with
    ///   ``CacheError/Code/newerFormat`` or ``CacheError/Code/damaged`` if another process has changed the catalog, or
    ///   with ``CacheError/Code/storage`` or ``CacheError/Code/cancelled``; the store stays suspended.
    public func resume() async throws {
        guard phase.withLock({ $0 == .suspended }) else { return }
        let location = engine.configuration.location
        let acquired = try await CacheError.wrapping("the cache folder \(location.durable) can't be opened again") {
            try await engine.run { engine in
                let lock =
                    engine.blobs.isWritable
                    ? try FolderLock(location: location) : try OpenedFolder.lockToRead(location, engine.logger)
                try engine.catalog.reopen()
                return lock
            }
        }
        lock.withLock { $0 = acquired }
        do {
            try await compareWithCatalog()
        } catch {
            // Otherwise, this process would own the folder of a suspended store, and couldn't acquire it again.
            await releaseFolder()
            throw CacheError.wrap(
                error, as: .storage, "the catalog of \(location.durable) can't be compared with the open resources")
        }
        let isResumed = phase.withLock { phase in
            guard phase == .suspended else { return false }
            engine.isStopped = false
            phase = .open
            resumptionCount.withLock { $0 += 1 }
            return true
        }
        guard isResumed else {
            // The store may have been closed before it acquired the folder.
            if phase.withLock({ $0 == .closed }) { await releaseFolder() }
            return
        }
        reopenings.send(())
        engine.committer.resume()
        // The last readers of resources marked for removal may have left during the suspension.
        for resource in table.all { resource.useEnded() }
        if engine.blobs.isWritable { startUpkeep(cleaning: false) }
    }

    /// Compares open representations with the catalog, because another process may have changed the folder. Only spans
    /// in the catalog remain cached, and their checksums are verified again. If the catalog no longer lists one of a
    /// resource's representations, the sessions of all of them fail at the next hole.
    private func compareWithCatalog() async throws {
        for resource in table.all {
            let entry = try await engine.catalog.resource(key: resource.key)
            let known = Dictionary(
                (entry?.representations ?? []).map { ($0.blob, $0) }, uniquingKeysWith: { first, _ in first })
            let isKnown = resource.representations.allSatisfy { known[$0.blob]?.id == $0.id }
            try await engine.pool.run {
                for representation in resource.representations {
                    representation.retainOnly(known[representation.blob]?.spans ?? SpanMap(), isKnown: isKnown)
                }
            }
            guard !isKnown else { continue }
            resource.state.withLock { $0.isRetired = true }
            table.remove(resource)
        }
    }
}

extension Representation {
    /// Turns everything outside of `spans` into holes, and marks `spans` as unverified. Blocks.
    fileprivate func retainOnly(_ spans: SpanMap, isKnown: Bool) {
        if !isKnown { abandon() }
        file.withLock { file in
            // The blob's path may lead to another file, or none.
            file.file = nil
            file.isNew = !engine.files.exists(engine.blobs.path(of: blob, isDurable: file.isDurable))
            file.mayBeLinked = true
            file.committed = spans
        }
        withState { state in
            for span in state.written.spans.flatMap({ spans.holes(in: $0) }) { state.forget(span) }
            state.verified = SpanMap()
            if !isKnown { state.isSuperseded = true }
        }
    }
}
