extension CacheStore {
    /// The maximum number of resources removed in one transaction. Large batches are fast because each blob folder is
    /// listed only once per batch, but readers that open one of the resources wait until the batch is removed.
    private static let batchSize = 16_384

    /// Removes a resource. If it's in use, it's removed when its last reader leaves.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/notFound``, ``CacheError/Code/storage``,
    ///   ``CacheError/Code/damaged``, ``CacheError/Code/closed`` or ``CacheError/Code/cancelled``.
    public func remove(id: Int64) async throws -> Removal {
        await engine.committer.commit()
        guard let key = try await key(of: id), let removal = try await remove(keys: [key]).first else {
            throw CacheError(.notFound, "no resource with number \(id) is cached")
        }
        return removal
    }

    /// Removes all resources; pinned ones only if `includingPinned` is true. Those in use are removed when their last
    /// reader leaves.
    ///
    /// - Returns: The removals of existing resources.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage``, ``CacheError/Code/damaged``,
    ///   ``CacheError/Code/closed`` or ``CacheError/Code/cancelled``; resources removed before the failure stay
    ///   removed.
    public func removeAll(includingPinned: Bool = false) async throws -> [Removal] {
        await engine.committer.commit()
        var keys = try await resources().filter { includingPinned || !$0.isPinned }.map(\.key)
        // Includes open resources with superseded versions only, which `resources()` doesn't return.
        let unknown = table.all.filter { !$0.representations.isEmpty && (includingPinned || !$0.stored.isPinned) }
        keys += Set(unknown.map(\.key)).subtracting(keys)
        return try await remove(keys: keys)
    }

    /// Removes resources by cache key, in transactions of up to ``batchSize``. Those in use are removed when their last
    /// reader leaves; unknown keys are skipped.
    ///
    /// - Returns: The removals of existing resources.
    package func remove(keys: some Collection<String>) async throws -> [Removal] {
        try await CacheError.wrapping("cached resources can't be removed") {
            var removals: [Removal] = []
            for batch in batches(of: keys, size: Self.batchSize) {
                try checkOpen()
                await engine.committer.commit()
                let deleted = try await deleteResources(keys: batch, orLater: true)
                for key in batch {
                    guard let removal = deleted[key] else { continue }
                    removals.append(removal)
                    guard removal.isDeferred else { continue }
                    if let resource = table[key] {
                        // Its last reader may have left in the meantime.
                        resource.useEnded()
                    } else {
                        // The last reader has left, but the deferred removal may have failed.
                        _ = try await deleteResources(keys: [key], orLater: true)
                    }
                }
            }
            return removals
        }
    }

    /// Removes the resources whose cache keys begin with `prefix`, except those in `kept`, as ``remove(keys:)`` does.
    package func remove(keysWithPrefix prefix: String, except kept: Set<String> = []) async throws -> [Removal] {
        await engine.committer.commit()
        return try await remove(keys: keys(withPrefix: prefix).subtracting(kept))
    }

    /// Returns the distinct keys in batches, in the ascending order in which all callers lock them.
    func batches(of keys: some Collection<String>, size: Int) -> [[String]] {
        Set(keys).sorted().batches(of: size).map(Array.init)
    }

    // MARK: - Deletion

    /// Deletes a resource and its blobs unless it's in use or, with `sparesPinned`, pinned. Returns the number of bytes
    /// freed, 0 if there is no such resource; nil if it's in use or spared.
    func deleteResource(key: String, sparesPinned: Bool = false) async throws -> Int64? {
        if sparesPinned, table[key]?.stored.isPinned == true { return nil }
        guard let removal = try await deleteResources(keys: [key], sparesPinned: sparesPinned)[key] else { return 0 }
        return removal.isDeferred ? nil : removal.bytes
    }

    /// Deletes several resources in one transaction.
    ///
    /// With `orLater`, a resource in use is removed when its last reader leaves. The transaction unpins it, so that it
    /// can be evicted if the process ends first.
    ///
    /// - Parameter keys: Distinct keys in ascending order.
    /// - Returns: The removals by key, without unknown keys. Those of resources that are in use or spared are deferred.
    private func deleteResources(
        keys: [String], sparesPinned: Bool = false, orLater: Bool = false
    ) async throws -> [String: Removal] {
        try await table.withExclusiveAccess(to: keys) {
            let isSpared = { (key: String) in sparesPinned && self.table[key]?.stored.isPinned == true }
            let closed = await self.closeForRemoval(keys: keys.filter { !isSpared($0) }, orLater: orLater)
            let entries = try await self.entries(of: keys)
            var removals: [String: Removal] = [:]
            var deleted: [StoredRepresentation] = []
            var damaged: (ids: [Int64], blobs: [String]) = ([], [])
            var unknown: [String] = []
            var pinned: [CatalogEntry] = []
            for key in keys {
                let entry = entries[key]
                let bytes = entry?.representations.reduce(0) { $0 + $1.spans.byteCount } ?? 0
                let removal = Removal(key: CacheKey(key).name, bytes: bytes, isDeferred: false)
                guard let blobs = closed[key], !(sparesPinned && entry?.resource.isPinned == true) else {
                    removals[key] = removal
                    removals[key]?.isDeferred = true
                    if orLater, let entry, entry.resource.isPinned { pinned.append(entry) }
                    continue
                }
                if let entry {
                    deleted += entry.representations
                    damaged.ids += entry.damaged
                    damaged.blobs += entry.damagedBlobs.values
                } else {
                    unknown += blobs
                }
                if entry != nil || !blobs.isEmpty { removals[key] = removal }
            }
            try await self.delete(deleted, damaged: damaged, unpinning: pinned)
            try await self.engine.run { [unknown] in try $0.unlink(blobs: unknown) }
            return removals
        }
    }

    func entries(of keys: [String]) async throws -> [String: CatalogEntry] {
        do {
            return try await engine.catalog.resources(keys: keys)
        } catch let error as CacheError where error.code == .damaged {
            // This deletes unreadable records.
            for key in keys { _ = try await catalogEntry(key: key) }
            return try await engine.catalog.resources(keys: keys)
        }
    }

    /// Closes resources, so that no commit interferes with changes to their catalog records. With `orLater`, those in
    /// use are marked for removal. Returns the names of the blobs by key: no entry for a resource in use, and an empty
    /// array for one that isn't open.
    func closeForRemoval(keys: [String], orLater: Bool = false) async -> [String: [String]] {
        var closed: [String: [String]] = [:]
        var wasOpen = false
        for key in keys {
            guard let resource = table[key] else {
                closed[key] = []
                continue
            }
            let representations = resource.representations
            switch resource.retireForRemoval(orLater: orLater) {
            // It was closed as idle in the meantime.
            case .wasRetired: closed[key] = []
            // A running commit may contain the previous pin.
            case .held: wasOpen = wasOpen || orLater
            case .retired:
                for representation in representations { representation.abandon() }
                table.remove(resource)
                closed[key] = representations.map(\.blob)
                wasOpen = true
            }
        }
        if wasOpen { await engine.committer.waitForRunning() }
        return closed
    }

    /// Deletes sidecars, then catalog records, each durably, then files. The next opening would restore a record from a
    /// remaining sidecar, whereas it removes files without a record.
    ///
    /// - Parameter pinned: Entries in use. They lose their pins and sidecars, but not their blobs.
    func delete(
        _ representations: [StoredRepresentation], damaged: (ids: [Int64], blobs: [String]) = ([], []),
        unpinning pinned: [CatalogEntry] = []
    ) async throws {
        guard !representations.isEmpty || !damaged.ids.isEmpty || !pinned.isEmpty else { return }
        let blobs = representations.map(\.blob) + damaged.blobs
        let ids = representations.map(\.id) + damaged.ids
        let unpinned = pinned.map(\.resource.id)
        let listed = blobs + pinned.flatMap { $0.representations.map(\.blob) }
        try await engine.run { try $0.removeSidecars(of: listed) }
        do {
            try await engine.catalog.delete(representations: ids, unpinning: unpinned)
        } catch {
            // On a full disk the catalog can't even shrink, so the blobs are deleted first. A record without its blob
            // is found at opening.
            guard try await engine.run({ try $0.isDiskFull }) else { throw error }
            try await engine.run { try $0.unlink(blobs: blobs) }
            try await engine.catalog.delete(representations: ids, unpinning: unpinned)
        }
        try await engine.run { try $0.unlink(blobs: blobs) }
    }

    /// Moves the pin, and deletes the resource or its superseded versions, after the last reader has left.
    func performDeferredActions(of resource: Resource) async throws {
        await engine.committer.commit()
        try await movePin(of: resource)
        if let pinned = resource.pinnedVersion {
            // Written before the replaced version is deleted.
            try await engine.run { try $0.writeSidecars(of: [pinned]) }
        }
        let removable = resource.takeRemovable()
        if removable.all { _ = try await deleteResource(key: resource.key) }
        guard !removable.superseded.isEmpty else { return }
        for representation in removable.superseded { representation.abandon() }
        await engine.committer.waitForRunning()
        let ids = Set(removable.superseded.map(\.id))
        try await table.withExclusiveAccess(to: [resource.key]) {
            let stored = try await self.engine.catalog.resource(key: resource.key)?.representations ?? []
            try await self.delete(stored.filter { ids.contains($0.id) })
        }
    }
}

extension Array {
    /// Returns the elements in order in batches of `size`; the last batch may be smaller.
    func batches(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
