import Synchronization

extension CacheStore {
    /// Stops fills, commits, and gives up the folder's lock and the database, as an app must before the system
    /// suspends it. Until ``resume()``, opening a read session throws ``CacheError/Code/closed``; sessions that are
    /// open can read what is kept, and end with that error at a hole.
    ///
    /// Does nothing if the store is suspended or closed.
    public func suspend() async {
        let isFirst = phase.withLock { phase in
            guard phase == .open else { return false }
            phase = .suspended
            return true
        }
        guard isFirst else { return }
        await stop()
        await engine.committer.pause()
        // Another process may own the folder meanwhile: what nobody reads is loaded anew.
        for resource in table.all where resource.retire() { table.remove(resource) }
        await releaseFolder()
    }

    /// Takes the folder again after ``suspend()``. Sessions that are still open go on.
    ///
    /// Does nothing if the store isn't suspended.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process has the folder now, or
    ///   ``CacheError/Code/storage``; the store then stays suspended.
    public func resume() async throws {
        guard phase.withLock({ $0 == .suspended }) else { return }
        let engine = engine
        let location = engine.configuration.location
        do {
            let taken = try await engine.pool.run {
                let lock =
                    engine.blobs.isWritable
                    ? try FolderLock(location: location) : try OpenedFolder.lockToRead(location, engine.logger)
                try engine.catalog.reopen()
                return lock
            }
            lock.withLock { $0 = taken }
        } catch {
            throw CacheError.wrap(error, as: .storage, "the cache folder \(location.durable) can't be opened again")
        }
        try await compareWithCatalog()
        engine.isStopped = false
        let isResumed = phase.withLock { phase in
            guard phase == .suspended else { return false }
            phase = .open
            resumptionCount.withLock { $0 += 1 }
            return true
        }
        guard isResumed else { return }
        reopenings.send(())
        engine.committer.resume()
        // What was to go when its last reader left may have been left meanwhile.
        for resource in table.all { resource.useEnded() }
        if engine.blobs.isWritable { startUpkeep(cleaning: false) }
    }

    /// What sessions kept open may have been changed by another owner of the folder: only what the catalog knows too
    /// is trusted, and only after comparing it with its checksums. A session over what it doesn't know any more reads
    /// no further.
    private func compareWithCatalog() async throws {
        let engine = engine
        for resource in table.all {
            let entry = try await engine.catalog.resource(key: resource.key)
            let known = Dictionary(
                (entry?.representations ?? []).map { ($0.blob, $0) }, uniquingKeysWith: { first, _ in first })
            let isKnown = resource.representations.allSatisfy { known[$0.blob]?.id == $0.id }
            try await engine.pool.run {
                for representation in resource.representations {
                    representation.trustOnly(known[representation.blob]?.spans ?? SpanMap(), isKnown: isKnown)
                }
            }
            guard !isKnown else { continue }
            resource.state.withLock { $0.isRetired = true }
            table.remove(resource)
        }
    }
}

extension Representation {
    /// Everything but `spans` counts as a hole, and they as not yet verified. Blocks.
    fileprivate func trustOnly(_ spans: SpanMap, isKnown: Bool) {
        if !isKnown { abandon() }
        file.withLock { file in
            // Another file may lie under the blob's name, or none.
            file.file = nil
            file.isNew = !engine.files.exists(engine.blobs.path(of: blob, isKept: file.isKept))
            file.mayBeLinked = true
            file.committed = spans
        }
        withState { state in
            var unknown = state.written
            for span in spans.spans { unknown.remove(span) }
            for span in unknown.spans { state.forget(span) }
            state.distrust()
            if !isKnown { state.isSuperseded = true }
        }
    }
}
