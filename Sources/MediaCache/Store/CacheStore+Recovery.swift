import Logging

extension CacheStore {
    /// Puts the catalog in order before anything is read: what is superseded goes, and what is pinned and the catalog
    /// doesn't know comes back from the sidecars.
    func recover(_ folder: OpenedFolder) async throws {
        let engine = engine
        let superseded = try await engine.catalog.supersededRepresentations()
        if !superseded.isEmpty {
            try await engine.pool.run { try engine.removeSidecars(of: superseded.map(\.blob)) }
            try await engine.catalog.delete(representations: superseded.map(\.id))
        }
        let lost = try await engine.pool.run {
            try engine.blobs.sidecars(engine.files).filter { try !engine.catalog.knows(blob: $0.blob) }.map(\.path)
        }
        let count = try await adopt(lost)
        if count > 0 || folder.replacedCatalog != nil {
            engine.logger.notice("catalog rebuilt", metadata: ["resources": "\(count)"])
        }
    }

    /// Gives up what an earlier opening left behind: blobs that nobody owns.
    func cleanUpAfterEarlierOpening() async {
        do {
            try await removeOrphans()
        } catch {
            engine.logger.warning("clean-up failed", metadata: ["error": "\(error)"])
        }
    }

    private var openBlobs: Set<String> { Set(table.all.flatMap { $0.representations.map(\.blob) }) }

    /// Makes the catalog know what sidecars list. Returns how many representations it now knows.
    private func adopt(_ paths: [String]) async throws -> Int {
        var count = 0
        // A complete version of a key comes before a partial one, then the newest.
        let sidecars = await sidecars(at: paths).sorted { a, b in
            a.isComplete == b.isComplete ? a.validatedAt > b.validatedAt : a.isComplete
        }
        for sidecar in sidecars {
            let isAdopted = try await table.alone(with: sidecar.key) {
                guard self.table[sidecar.key] == nil else { return false }
                return try await self.adopt(sidecar)
            }
            if isAdopted { count += 1 }
        }
        return count
    }

    /// Makes the catalog know what a sidecar lists, unless it knows a pinned version of the resource that is complete, or
    /// no less so. Called by the one that is alone with its key.
    ///
    /// - Returns: whether it does now.
    private func adopt(_ sidecar: Sidecar) async throws -> Bool {
        let engine = engine
        let entry = try await engine.catalog.resource(key: sidecar.key)
        if let pinned = entry?.versions.pinned, pinned.isKept, pinned.isComplete || !sidecar.isComplete { return false }
        let snapshot = sidecar.snapshot(
            resourceID: entry?.resource.id ?? engine.catalog.nextResourceID(),
            representationID: engine.catalog.nextRepresentationID(), useOrder: engine.catalog.nextUse())
        try await engine.catalog.commit([snapshot])
        return true
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

    /// The sidecars at `paths` that can be read.
    private func sidecars(at paths: [String]) async -> [Sidecar] {
        let engine = engine
        return await engine.pool.perform {
            paths.filter(engine.files.exists).compactMap { path -> Sidecar? in
                do {
                    return try Sidecar(encoded: engine.files.contents(of: path))
                } catch {
                    engine.logger.error("damaged sidecar", metadata: ["path": "\(path)", "error": "\(error)"])
                    return nil
                }
            }
        }
    }

    private func removeOrphans() async throws {
        let engine = engine
        let listed = try await engine.pool.run { try engine.blobs.allFiles(engine.files) }
        // In this order: what was made or committed in between is found in the one or the other.
        let open = openBlobs
        let owned = try await engine.catalog.blobs()
        let names = Set(listed.map(\.path))
        // A sidecar that can't be read may be of something that can't be fetched again: a person has to look.
        let unreadable = await engine.pool.perform {
            let lost = listed.filter { $0.path.hasSuffix(".json") && owned[$0.blob] == nil }
            return Set(lost.filter { (try? Sidecar(encoded: engine.files.contents(of: $0.path))) == nil }.map(\.blob))
        }
        let orphans = listed.filter { file in
            if file.path.hasSuffix(BlobFolder.copySuffix) { return !file.path.contains(engine.token) }
            if open.contains(file.blob) || unreadable.contains(file.blob) { return false }
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
            } catch let error as CacheError where error.code == .damaged {
                // Not this row alone. What plays goes on; nothing is kept until the next opening sets it aside.
                await engine.pool.perform { [engine] in engine.catalog.markSuspect() }
                engine.health.failedForGood(error)
            }
            return nil
        }
    }
}
