extension CacheStore {
    /// How many resources are given up together: whoever opens one of them waits meanwhile. Waiting for the disk costs the
    /// same for all of them as for one in each of the 256 folders.
    private static let batchSize = 16_384

    /// Removes a resource. What is in use goes when its last reader leaves.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/notFound``.
    public func remove(id: Int64) async throws -> Removal {
        await engine.committer.commit()
        guard let key = try await key(of: id), let removal = try await remove(keys: [key]).first else {
            throw CacheError(.notFound, "nothing is kept under number \(id)")
        }
        return removal
    }

    /// Removes everything; what is pinned only if `includingPinned`.
    public func removeAll(includingPinned: Bool = false) async throws -> [Removal] {
        await engine.committer.commit()
        var keys = try await resources().filter { includingPinned || !$0.isPinned }.map(\.key)
        // Also what the catalog hasn't learned of, because the disk is full.
        let unknown = table.all.filter { !$0.representations.isEmpty && (includingPinned || !$0.stored.isPinned) }
        keys += Set(unknown.map(\.key)).subtracting(keys)
        return try await remove(keys: keys)
    }

    /// Removes resources by their cache keys, some thousand in one transaction. What is in use goes when its last reader
    /// leaves; what isn't there is passed over.
    ///
    /// - Returns: what was there.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage``; what was removed until then stays so.
    package func remove(keys: some Collection<String>) async throws -> [Removal] {
        var removals: [Removal] = []
        for batch in batches(of: keys, size: Self.batchSize) {
            try checkOpen()
            await engine.committer.commit()
            let outcomes = try await giveUp(keys: batch, orLater: true)
            for key in batch {
                guard let outcome = outcomes[key] else { continue }
                let name = CacheKey(key).name
                removals.append(Removal(key: name, bytes: outcome.bytes, isDeferred: outcome.isHeld))
                guard outcome.isHeld else { continue }
                if let resource = table[key] {
                    // Its last reader may have left in between, and will not look again.
                    resource.useEnded()
                } else {
                    // It did, and what it set going may have failed.
                    _ = try await giveUp(keys: [key], orLater: true)
                }
            }
        }
        return removals
    }

    /// Removes all resources whose cache keys begin with `prefix`, likewise.
    ///
    /// - Returns: what was there.
    /// - Throws: as ``remove(keys:)``.
    package func remove(keysWithPrefix prefix: String) async throws -> [Removal] {
        await engine.committer.commit()
        var keys = Set(try await engine.catalog.keys(withPrefix: prefix))
        keys.formUnion(table.all.map(\.key).filter { $0.utf8.starts(with: prefix.utf8) })
        return try await remove(keys: keys)
    }

    /// Keys in pieces, each of which is worked on at once; every key once, in an order that all who take several share.
    func batches(of keys: some Collection<String>, size: Int) -> [[String]] {
        Set(keys).sorted().batches(of: size).map(Array.init)
    }

    // MARK: - Giving up

    /// What became of a resource that was to go.
    struct GivingUp: Sendable {
        /// What is kept of it, or was.
        var bytes: Int64
        /// Whether it stays for the time being, since someone uses it.
        var isHeld: Bool
    }

    /// Forgets all of a resource and unlinks its blobs, unless someone uses it. Returns the bytes freed, or nil.
    /// What has been pinned since it was chosen stays, if `sparesPinned`.
    func giveUp(key: String, sparesPinned: Bool = false) async throws -> Int64? {
        if sparesPinned, table[key]?.stored.isPinned == true { return nil }
        guard let outcome = try await giveUp(keys: [key], sparesPinned: sparesPinned)[key] else { return 0 }
        return outcome.isHeld ? nil : outcome.bytes
    }

    /// The same of several resources in one transaction; what isn't there isn't in the answer, and what stays because it's
    /// pinned counts as held. The keys are in order, each once. What someone uses goes with its last reader, if `orLater`:
    /// in the same transaction it loses its pin, so that it can be evicted if this process ends before that.
    private func giveUp(
        keys: [String], sparesPinned: Bool = false, orLater: Bool = false
    ) async throws -> [String: GivingUp] {
        try await table.alone(with: keys) {
            let isSpared = { (key: String) in sparesPinned && self.table[key]?.stored.isPinned == true }
            let taken = await self.takeOut(keys: keys.filter { !isSpared($0) }, orLater: orLater)
            let entries = try await self.entries(of: keys)
            var outcomes: [String: GivingUp] = [:]
            var gone: [StoredRepresentation] = []
            var damaged: (ids: [Int64], blobs: [String]) = ([], [])
            var unknown: [String] = []
            var pinned: [CatalogEntry] = []
            for key in keys {
                let entry = entries[key]
                let bytes = entry?.representations.reduce(0) { $0 + $1.spans.byteCount } ?? 0
                guard let blobs = taken[key], !(sparesPinned && entry?.resource.isPinned == true) else {
                    outcomes[key] = GivingUp(bytes: bytes, isHeld: true)
                    if orLater, let entry, entry.resource.isPinned { pinned.append(entry) }
                    continue
                }
                guard let entry else {
                    if blobs.isEmpty { continue }
                    unknown += blobs
                    outcomes[key] = GivingUp(bytes: 0, isHeld: false)
                    continue
                }
                gone += entry.representations
                damaged.ids += entry.damaged
                damaged.blobs += entry.damagedBlobs.values
                outcomes[key] = GivingUp(bytes: bytes, isHeld: false)
            }
            try await self.delete(gone, damaged: damaged, unpinning: pinned)
            try await self.unlink(unknown)
            return outcomes
        }
    }

    /// What the catalog has under `keys`.
    func entries(of keys: [String]) async throws -> [String: CatalogEntry] {
        do {
            return try await engine.catalog.resources(keys: keys)
        } catch let error as CacheError where error.code == .damaged {
            // Rows that can't be read are given up on the way.
            for key in keys { _ = try await catalogEntry(key: key) }
            return try await engine.catalog.resources(keys: keys)
        }
    }

    /// Closes a resource that nobody uses, so that its rows can be changed; no commit of it comes after. Returns the
    /// blobs that were open, by name so that their room is free once they are deleted; nil if someone uses it.
    func takeOut(key: String) async -> [String]? {
        await takeOut(keys: [key], orLater: false)[key]
    }

    /// The same of several; those that someone uses aren't in the answer, and go later if `orLater`.
    private func takeOut(keys: [String], orLater: Bool) async -> [String: [String]] {
        var taken: [String: [String]] = [:]
        var wasOpen = false
        for key in keys {
            guard let resource = table[key] else {
                taken[key] = []
                continue
            }
            let representations = resource.representations
            switch resource.retireToGiveUp(orLater: orLater) {
            // It was closed in between, being idle.
            case .wasRetired: taken[key] = []
            // What is being committed may still say that it's pinned.
            case .held: wasOpen = wasOpen || orLater
            case .retired:
                for representation in representations { representation.abandon() }
                table.remove(resource)
                taken[key] = representations.map(\.blob)
                wasOpen = true
            }
        }
        if wasOpen { await engine.committer.waitForRunning() }
        return taken
    }

    /// Catalog first, durably, then the files. Sidecars before both: one alone means that the catalog lost it.
    ///
    /// - Parameter pinned: what stays for now, and isn't pinned any more. Its blobs lie where they are until it goes.
    func delete(
        _ representations: [StoredRepresentation], damaged: (ids: [Int64], blobs: [String]) = ([], []),
        unpinning pinned: [CatalogEntry] = []
    ) async throws {
        guard !representations.isEmpty || !damaged.ids.isEmpty || !pinned.isEmpty else { return }
        let engine = engine
        let blobs = representations.map(\.blob) + damaged.blobs
        let ids = representations.map(\.id) + damaged.ids
        let unpinned = pinned.map(\.resource.id)
        let listed = blobs + pinned.flatMap { $0.representations.map(\.blob) }
        try await engine.pool.run { try engine.removeSidecars(of: listed) }
        do {
            try await engine.catalog.delete(representations: ids, unpinning: unpinned)
        } catch {
            // On a full disk the catalog can't even shrink: then the blobs make room for it. A row whose blob is missing
            // is found at opening.
            guard try await engine.pool.run({ try engine.isDiskFull }) else { throw error }
            try await unlink(blobs)
            try await engine.catalog.delete(representations: ids, unpinning: unpinned)
        }
        try await unlink(blobs)
    }

    private func unlink(_ blobs: [String]) async throws {
        let engine = engine
        try await engine.pool.run { try engine.unlink(blobs: blobs) }
    }

    /// Does what was put off while someone read.
    func removeWhatGoes(of resource: Resource) async throws {
        await engine.committer.commit()
        try await movePin(of: resource)
        if let pinned = resource.pinnedVersion {
            // Before what it replaced goes.
            let engine = engine
            try await engine.pool.run { try engine.writeSidecars(of: [pinned]) }
        }
        let going = resource.takeGoing()
        if going.all {
            _ = try await giveUp(key: resource.key)
            return
        }
        guard !going.superseded.isEmpty else { return }
        for representation in going.superseded { representation.abandon() }
        await engine.committer.waitForRunning()
        let ids = Set(going.superseded.map(\.id))
        try await table.alone(with: resource.key) {
            let stored = try await self.engine.catalog.resource(key: resource.key)?.representations ?? []
            try await self.delete(stored.filter { ids.contains($0.id) })
        }
    }
}
