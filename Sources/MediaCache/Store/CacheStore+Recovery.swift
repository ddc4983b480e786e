import Logging

extension CacheStore {
    /// Deletes superseded representations, and restores missing records of pinned ones, before the first read.
    func recover(_ folder: OpenedFolder) async throws {
        let all = try await engine.catalog.supersededRepresentations()
        let unlisted = try await renewSidecars(of: Set(all.compactMap(\.pinnedKey)))
        let superseded = all.filter { !($0.pinnedKey.map(unlisted.contains) ?? false) }
        if !superseded.isEmpty {
            try await engine.run { try $0.removeSidecars(of: superseded.map(\.blob)) }
            try await engine.catalog.delete(representations: superseded.map(\.id))
        }
        let count = try await adopt(try await lostSidecars())
        if count > 0 || folder.replacedCatalog != nil {
            engine.logger.notice("catalog rebuilt", metadata: ["resources": "\(count)"])
        }
    }

    /// Finishes the work of an earlier process: writes missing sidecars, and removes orphaned blobs.
    func cleanUpAfterEarlierOpening() async {
        do {
            try await renewSidecars()
            try await removeOrphans()
        } catch {
            engine.logger.warning("clean-up failed", metadata: ["error": "\(error)"])
        }
    }

    /// Writes missing sidecars of pinned versions before the replaced versions and their sidecars are deleted. Returns
    /// the keys of the resources whose sidecars couldn't be written.
    private func renewSidecars(of keys: Set<String>) async throws -> Set<String> {
        var failed: Set<String> = []
        for batch in batches(of: keys, size: 1024) {
            for entry in try await entries(of: batch).values {
                guard let pinned = entry.versions.pinned, pinned.isDurable else { continue }
                do {
                    try await engine.run { try $0.renewSidecar(of: pinned, entry.resource) }
                } catch {
                    engine.logger.error("sidecar not written", metadata: ["error": "\(error)"])
                    failed.insert(entry.resource.key)
                }
            }
        }
        return failed
    }

    /// Writes missing sidecars of pinned versions and, after an interruption, rewrites those that lack spans.
    private func renewSidecars() async throws {
        let pinned = try await engine.catalog.pinnedBlobs()
        guard !pinned.isEmpty else { return }
        let listed = try await engine.run { engine in
            engine.catalog.wasInterrupted ? [] : Set(try engine.blobs.sidecars(engine.files).map(\.blob))
        }
        for (blob, key) in pinned where !listed.contains(blob) {
            guard !Task.isCancelled else { return }
            try await table.withExclusiveAccess(to: [key]) {
                if let resource = self.table[key] {
                    // Its next commit writes the sidecar.
                    resource.pinnedVersion?.withState { $0.needsCommit = true }
                    return
                }
                guard let entry = try await self.engine.catalog.resource(key: key), let pinned = entry.versions.pinned,
                    pinned.isDurable, pinned.blob == blob
                else { return }
                try await self.engine.run { try $0.renewSidecar(of: pinned, entry.resource) }
            }
        }
    }

    /// Returns the paths of sidecars whose blobs the catalog doesn't list.
    private func lostSidecars() async throws -> [String] {
        try await engine.run { engine in
            try engine.blobs.sidecars(engine.files).filter { try !engine.catalog.knows(blob: $0.blob) }.map(\.path)
        }
    }

    /// Adds the content of sidecars to the catalog. Returns the number of those added.
    private func adopt(_ paths: [String]) async throws -> Int {
        var count = 0
        for sidecar in await sidecars(at: paths) {
            let isAdopted = try await table.withExclusiveAccess(to: [sidecar.key]) {
                guard self.table[sidecar.key] == nil else { return false }
                return try await self.adopt(sidecar)
            }
            if isAdopted { count += 1 }
        }
        return count
    }

    /// Adds a sidecar to the catalog, and returns true, unless a pinned version replaces it. The caller has
    /// exclusive access to the key.
    private func adopt(_ sidecar: Sidecar) async throws -> Bool {
        let entry = try await engine.catalog.resource(key: sidecar.key)
        guard await !isReplaced(sidecar, in: entry) else { return false }
        let snapshot = sidecar.snapshot(
            resourceID: entry?.resource.id ?? engine.catalog.nextResourceID(),
            representationID: engine.catalog.nextRepresentationID(), useOrder: engine.catalog.nextUse())
        // Deleted below, because a record without its blob could otherwise keep the pin.
        let lost = await engine.pool.perform { [engine] in
            entry?.representations.filter { $0.isDurable && !engine.hasBlob(of: $0) }.map(\.id) ?? []
        }
        try await engine.catalog.commit([snapshot])
        if !lost.isEmpty { try await engine.catalog.delete(representations: lost) }
        return true
    }

    /// Returns whether a pinned version in the catalog replaces the sidecar's version. It does if its blob exists, and
    /// either it's complete or both versions are partial.
    private func isReplaced(_ sidecar: Sidecar, in entry: CatalogEntry?) async -> Bool {
        guard let pinned = entry?.versions.pinned, pinned.isDurable, pinned.blob != sidecar.blob,
            pinned.isComplete || !sidecar.isComplete
        else { return false }
        return await engine.pool.perform { [engine] in engine.hasBlob(of: pinned) }
    }

    /// Restores damaged catalog records from the sidecars of their blobs.
    private func restoreRows(of entry: CatalogEntry) async throws {
        for (id, blob) in entry.damagedBlobs {
            let sidecar = await sidecars(at: [engine.blobs.sidecarPath(of: blob)]).first
            guard let sidecar, sidecar.key == entry.resource.key, sidecar.blob == blob else { continue }
            let snapshot = sidecar.snapshot(
                resourceID: entry.resource.id, representationID: id, useOrder: engine.catalog.nextUse())
            try await engine.catalog.commit([snapshot])
        }
    }

    /// Returns the readable sidecars at `paths`: complete versions before partial ones, newer before older.
    private func sidecars(at paths: [String]) async -> [Sidecar] {
        let sidecars = await engine.pool.perform { [engine] in
            paths.filter(engine.files.exists).compactMap { path -> Sidecar? in
                do {
                    return try Sidecar(encoded: engine.files.contents(of: path))
                } catch {
                    engine.logger.error("damaged sidecar", metadata: ["path": "\(path)", "error": "\(error)"])
                    return nil
                }
            }
        }
        return sidecars.sorted { a, b in
            a.isComplete == b.isComplete ? a.validatedAt > b.validatedAt : a.isComplete
        }
    }

    private func removeOrphans() async throws {
        let listed = try await engine.run { try $0.blobs.allFiles($0.files) }
        // The order matters: a blob created or closed during this function must not be taken for an orphan.
        let open = Set(table.all.flatMap { $0.representations.map(\.blob) })
        let owned = try await engine.catalog.blobs()
        let names = Set(listed.map(\.path))
        let spared = try await blobsToPreserve(of: listed.filter { owned[$0.blob] == nil })
        let orphans = listed.filter { file in
            if file.path.hasSuffix(BlobFolder.copySuffix) { return !file.path.contains(engine.token) }
            return !open.contains(file.blob) && !spared.contains(file.blob) && owned[file.blob] == nil
        }
        if !orphans.isEmpty {
            engine.logger.info("orphan blobs removed", metadata: ["count": "\(orphans.count)"])
            try await engine.run { for orphan in orphans { try $0.files.remove(orphan.path) } }
        }
        // If a power failure interrupted a move, the catalog records which of the two files is valid.
        for file in listed where file.path.hasSuffix(".bin") && !open.contains(file.blob) {
            guard let isDurable = owned[file.blob], isDurable != file.isDurable,
                names.contains(engine.blobs.path(of: file.blob, isDurable: isDurable))
            else { continue }
            try await removeDuplicate(file)
        }
    }

    /// Removes the file of an interrupted move that the catalog doesn't list.
    private func removeDuplicate(_ file: BlobFolder.Entry) async throws {
        guard let key = try await engine.catalog.owner(ofBlob: file.blob)?.key else { return }
        // If the resource is open, its pin may move again, which makes this file the valid one.
        try await table.withExclusiveAccess(to: [key]) {
            guard self.table[key] == nil,
                try await self.engine.catalog.owner(ofBlob: file.blob)?.isDurable == !file.isDurable
            else { return }
            try await self.engine.run { engine in
                guard engine.files.exists(engine.blobs.path(of: file.blob, isDurable: !file.isDurable)) else { return }
                try engine.files.remove(file.path)
            }
        }
    }

    /// Returns the blobs to preserve although the catalog doesn't list them, because their sidecars may describe
    /// content that can't be fetched again. Unreadable sidecars need a user's decision; readable ones are adopted at
    /// the next opening unless the catalog has a replacement.
    private func blobsToPreserve(of files: [BlobFolder.Entry]) async throws -> Set<String> {
        let lost = files.filter { $0.path.hasSuffix(".json") }
        var spared = Set(lost.map(\.blob))
        for sidecar in await sidecars(at: lost.map(\.path)) {
            let entry = try await engine.catalog.resource(key: sidecar.key)
            if await isReplaced(sidecar, in: entry) { spared.remove(sidecar.blob) }
        }
        return spared
    }

    /// Returns the catalog's entry for `key`, without damaged records. Restores pinned versions from sidecars.
    func catalogEntry(key: String) async throws -> CatalogEntry? {
        do {
            let entry = try await engine.catalog.resource(key: key)
            guard let entry, !entry.damaged.isEmpty else { return entry }
            engine.events.send(.damaged(key: key, range: 0..<0))
            try await restoreRows(of: entry)
            guard let entry = try await engine.catalog.resource(key: key) else { return nil }
            guard !entry.damaged.isEmpty else { return entry }
            try await engine.catalog.delete(representations: entry.damaged)
            return entry.representations.isEmpty ? nil : entry
        } catch let error as CacheError where error.code == .damaged {
            return try await replaceRecords(key: key, after: error)
        }
    }

    /// Deletes all records of a resource, some of which are unreadable, and restores pinned versions from their
    /// sidecars. Returns the new entry; nil if there is none.
    func replaceRecords(key: String, after error: CacheError) async throws -> CatalogEntry? {
        engine.logger.error("damaged catalog", metadata: ["name": "\(CacheKey(key).name)", "error": "\(error)"])
        engine.events.send(.damaged(key: key, range: 0..<0))
        do {
            try await engine.catalog.delete(key: key)
            for sidecar in await sidecars(at: try await lostSidecars()) where sidecar.key == key {
                _ = try await adopt(sidecar)
            }
            return try await engine.catalog.resource(key: key)
        } catch let error as CacheError where error.code == .damaged {
            // The damage isn't limited to this record. Playback continues, and nothing is stored until the next
            // opening replaces the catalog.
            await engine.pool.perform { [engine] in engine.catalog.markSuspect() }
            engine.health.failedForGood(error)
            return nil
        }
    }
}
