import Logging

extension CacheStore {
    /// Puts the catalog in order before anything is read: what is superseded goes, and what is pinned and the catalog
    /// doesn't know comes back from the sidecars.
    func recover(_ folder: OpenedFolder) async throws {
        let engine = engine
        let all = try await engine.catalog.supersededRepresentations()
        let unlisted = try await renewSidecars(of: Set(all.compactMap(\.pinnedKey)))
        let superseded = all.filter { !($0.pinnedKey.map(unlisted.contains) ?? false) }
        if !superseded.isEmpty {
            try await engine.pool.run { try engine.removeSidecars(of: superseded.map(\.blob)) }
            try await engine.catalog.delete(representations: superseded.map(\.id))
        }
        let count = try await adopt(try await lostSidecars())
        if count > 0 || folder.replacedCatalog != nil {
            engine.logger.notice("catalog rebuilt", metadata: ["resources": "\(count)"])
        }
    }

    /// Completes what an earlier opening left: sidecars that it didn't write, and blobs that nobody owns.
    func cleanUpAfterEarlierOpening() async {
        do {
            try await renewSidecars()
            try await removeOrphans()
        } catch {
            engine.logger.warning("clean-up failed", metadata: ["error": "\(error)"])
        }
    }

    /// Writes the sidecars of pinned versions that replace others, where a process that ended early didn't. The others go
    /// with their own sidecars, so that nothing outside the catalog would list the resource.
    ///
    /// - Returns: the keys of the resources whose sidecar couldn't be written.
    private func renewSidecars(of keys: Set<String>) async throws -> Set<String> {
        let engine = engine
        var failed: Set<String> = []
        for batch in batches(of: keys, size: 1024) {
            for entry in try await entries(of: batch).values {
                guard let pinned = entry.versions.pinned, pinned.isKept else { continue }
                do {
                    try await engine.pool.run { try engine.renewSidecar(of: pinned, entry.resource) }
                } catch {
                    engine.logger.error("sidecar not written", metadata: ["error": "\(error)"])
                    failed.insert(entry.resource.key)
                }
            }
        }
        return failed
    }

    /// Writes the sidecars of pinned versions that are missing. After a process that didn't close the catalog, it also
    /// writes those that lack bytes: only then all of them have to be read.
    private func renewSidecars() async throws {
        let engine = engine
        let pinned = try await engine.catalog.pinnedBlobs()
        guard !pinned.isEmpty else { return }
        let listed = try await engine.pool.run {
            engine.catalog.wasInterrupted ? [] : Set(try engine.blobs.sidecars(engine.files).map(\.blob))
        }
        for (blob, key) in pinned where !listed.contains(blob) {
            guard !Task.isCancelled else { return }
            try await table.alone(with: key) {
                if let resource = self.table[key] {
                    // Its next commit writes the sidecar.
                    resource.pinnedVersion?.withState { $0.setNeedsCommit() }
                    return
                }
                guard let entry = try await engine.catalog.resource(key: key), let pinned = entry.versions.pinned,
                    pinned.isKept, pinned.blob == blob
                else { return }
                try await engine.pool.run { try engine.renewSidecar(of: pinned, entry.resource) }
            }
        }
    }

    /// The paths of the sidecars whose blobs the catalog doesn't know.
    private func lostSidecars() async throws -> [String] {
        let engine = engine
        return try await engine.pool.run {
            try engine.blobs.sidecars(engine.files).filter { try !engine.catalog.knows(blob: $0.blob) }.map(\.path)
        }
    }

    private var openBlobs: Set<String> { Set(table.all.flatMap { $0.representations.map(\.blob) }) }

    /// Makes the catalog know what sidecars list. Returns how many representations it now knows.
    private func adopt(_ paths: [String]) async throws -> Int {
        var count = 0
        for sidecar in await sidecars(at: paths) {
            let isAdopted = try await table.alone(with: sidecar.key) {
                guard self.table[sidecar.key] == nil else { return false }
                return try await self.adopt(sidecar)
            }
            if isAdopted { count += 1 }
        }
        return count
    }

    /// Makes the catalog know what a sidecar lists, unless it knows a pinned version that replaces it. Called by the one
    /// that is alone with its key.
    ///
    /// - Returns: whether it does now.
    private func adopt(_ sidecar: Sidecar) async throws -> Bool {
        let engine = engine
        let entry = try await engine.catalog.resource(key: sidecar.key)
        guard await !isReplaced(sidecar, in: entry) else { return false }
        let snapshot = sidecar.snapshot(
            resourceID: entry?.resource.id ?? engine.catalog.nextResourceID(),
            representationID: engine.catalog.nextRepresentationID(), useOrder: engine.catalog.nextUse())
        // A row without its blob would hold the pin.
        let lost = await engine.pool.perform {
            entry?.representations.filter { $0.isKept && !engine.hasBlob(of: $0) }.map(\.id) ?? []
        }
        try await engine.catalog.commit([snapshot])
        if !lost.isEmpty { try await engine.catalog.delete(representations: lost) }
        return true
    }

    /// Whether the catalog knows a pinned version that takes the place of a sidecar's: a complete one, or one of which no
    /// less is cached, with its blob.
    private func isReplaced(_ sidecar: Sidecar, in entry: CatalogEntry?) async -> Bool {
        guard let pinned = entry?.versions.pinned, pinned.isKept, pinned.blob != sidecar.blob,
            pinned.isComplete || !sidecar.isComplete
        else { return false }
        let engine = engine
        return await engine.pool.perform { engine.hasBlob(of: pinned) }
    }

    /// Writes damaged rows again from the sidecars of their blobs, where there are any.
    private func restoreRows(of entry: CatalogEntry) async throws {
        for (id, blob) in entry.damagedBlobs {
            let sidecar = await sidecars(at: [engine.blobs.sidecarPath(of: blob)]).first
            guard let sidecar, sidecar.key == entry.resource.key, sidecar.blob == blob else { continue }
            let snapshot = sidecar.snapshot(
                resourceID: entry.resource.id, representationID: id, useOrder: engine.catalog.nextUse())
            try await engine.catalog.commit([snapshot])
        }
    }

    /// The sidecars at `paths` that can be read. A complete version of a key comes before a partial one, then the newest.
    private func sidecars(at paths: [String]) async -> [Sidecar] {
        let engine = engine
        let sidecars = await engine.pool.perform {
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
        let engine = engine
        let listed = try await engine.pool.run { try engine.blobs.allFiles(engine.files) }
        // In this order: what was made or committed in between is found in the one or the other.
        let open = openBlobs
        let owned = try await engine.catalog.blobs()
        let names = Set(listed.map(\.path))
        let spared = try await blobsToSpare(of: listed.filter { owned[$0.blob] == nil })
        let orphans = listed.filter { file in
            if file.path.hasSuffix(BlobFolder.copySuffix) { return !file.path.contains(engine.token) }
            if open.contains(file.blob) || spared.contains(file.blob) { return false }
            guard let isKept = owned[file.blob] else { return true }
            // Left over from a move that a power cut ended: the blob is where the catalog says.
            return file.isKept != isKept && file.path.hasSuffix(".bin")
                && names.contains(engine.blobs.path(of: file.blob, isKept: isKept))
        }
        guard !orphans.isEmpty else { return }
        engine.logger.info("orphan blobs removed", metadata: ["count": "\(orphans.count)"])
        try await engine.pool.run {
            for orphan in orphans { try engine.files.remove(orphan.path) }
        }
    }

    /// The blobs that stay though the catalog doesn't know them: their sidecars may list what can't be fetched again. One
    /// that can't be read is for a person to look at; one that can is adopted at the next opening, unless the catalog has
    /// a version in its place.
    private func blobsToSpare(of files: [(path: String, blob: String, isKept: Bool)]) async throws -> Set<String> {
        let lost = files.filter { $0.path.hasSuffix(".json") }
        var spared = Set(lost.map(\.blob))
        for sidecar in await sidecars(at: lost.map(\.path)) {
            let entry = try await engine.catalog.resource(key: sidecar.key)
            if await isReplaced(sidecar, in: entry) { spared.remove(sidecar.blob) }
        }
        return spared
    }

    /// What the catalog has under `key`. Rows that are damaged are given up; what was pinned comes back from its sidecar.
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
            engine.logger.error("damaged catalog", metadata: ["name": "\(CacheKey(key).name)", "error": "\(error)"])
            engine.events.send(.damaged(key: key, range: 0..<0))
            do {
                try await engine.catalog.delete(key: key)
                return try await restored(key: key)
            } catch let error as CacheError where error.code == .damaged {
                // Not this row alone. What plays goes on; nothing is kept until the next opening sets it aside.
                await engine.pool.perform { [engine] in engine.catalog.markSuspect() }
                engine.health.failedForGood(error)
            }
            return nil
        }
    }

    /// Adopts the sidecars of a resource whose rows were deleted because they couldn't be read. Returns its new entry.
    private func restored(key: String) async throws -> CatalogEntry? {
        for sidecar in await sidecars(at: try await lostSidecars()) where sidecar.key == key {
            _ = try await adopt(sidecar)
        }
        return try await engine.catalog.resource(key: key)
    }
}
