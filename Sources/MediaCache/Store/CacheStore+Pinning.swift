extension CacheStore {
    /// The maximum number of resources pinned in one commit. All of them stay open until it ends.
    private static let pinBatchSize = 2048

    /// Pins or unpins a resource. Pinned resources are never evicted, and their blobs are in the durable folder.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/notFound``, ``CacheError/Code/storage``,
    ///   ``CacheError/Code/damaged``, ``CacheError/Code/closed`` or ``CacheError/Code/cancelled``.
    public func setPinned(_ isPinned: Bool, id: Int64) async throws {
        await engine.committer.commit()
        guard let key = try await key(of: id), try await pin([key], isPinned) > 0 else {
            throw CacheError(.notFound, "no resource with number \(id) is cached")
        }
    }

    /// Pins or unpins resources by cache key, in commits of up to ``pinBatchSize``. Unknown keys are skipped. After a
    /// failure, earlier batches stay pinned or unpinned.
    package func setPinned(_ isPinned: Bool, keys: some Collection<String>) async throws {
        for batch in batches(of: keys, size: Self.pinBatchSize) {
            await engine.committer.commit()
            _ = try await pin(batch, isPinned)
            table.closeIdle()
        }
    }

    /// Pins or unpins resources, and returns the number of those that are cached. The keys are distinct and ascending.
    private func pin(_ keys: [String], _ isPinned: Bool) async throws -> Int {
        // Protects the resources from eviction and removal in the meantime.
        let held = try await CacheError.wrapping("cached resources can't be opened") { try await hold(keys) }
        defer { for representation in held.flatMap(\.versions) { representation.release() } }
        for (resource, _) in held { resource.setPinned(isPinned) }
        let what = held.count == 1 ? CacheKey(keys[0]).name : "\(held.count) resources"
        try await CacheError.wrapping("\(what) can't be \(isPinned ? "pinned" : "unpinned")") {
            try await pinBlobs(of: held.map(\.resource), isPinned)
        }
        return held.count
    }

    /// Opens cached resources and holds them.
    private func hold(_ keys: [String]) async throws -> [(resource: Resource, versions: [Representation])] {
        try checkOpen()
        return try await table.withExclusiveAccess(to: keys) {
            var held: [(resource: Resource, versions: [Representation])] = []
            let entries = try await self.entries(of: keys.filter { self.table[$0] == nil })
            do {
                for key in keys {
                    guard let resource = try await self.resource(key: key, in: entries) else { continue }
                    let versions = resource.hold()
                    if !versions.isEmpty { held.append((resource, versions)) }
                }
            } catch {
                for representation in held.flatMap(\.versions) { representation.release() }
                throw error
            }
            return held
        }
    }

    /// Returns the open resource or one restored from its catalog entry. The caller has exclusive access to the key.
    private func resource(key: String, in entries: [String: CatalogEntry]) async throws -> Resource? {
        if let resource = table[key] { return resource }
        guard let entry = entries[key], !entry.representations.isEmpty, let url = try? ResourceURL(entry.resource.url),
            let resource = try await restored(entry, url: url)
        else { return nil }
        table.insert(resource)
        return resource
    }

    /// Pins a resource that is being opened, and moves the blob of the pinned version; the next commit updates the
    /// catalog. Only ``movePin(of:)`` replaces the pinned version with a newer one.
    func pin(_ resource: Resource) async throws {
        if !resource.stored.isPinned { resource.setPinned(true) }
        guard let representation = resource.pinTarget, representation === resource.pinnedVersion else { return }
        try await engine.run { try $0.move([representation], isDurable: true) }
    }

    private func pinBlobs(of resources: [Resource], _ isPinned: Bool) async throws {
        let moving = isPinned ? resources.compactMap(\.pinTarget) : resources.flatMap(\.representations)
        try await engine.run { engine in
            if !isPinned { try engine.removeSidecars(of: moving) }
            try engine.move(moving, isDurable: isPinned)
        }
        if let failure = await engine.committer.commit() { throw failure }
        guard isPinned else { return }
        let pinned = resources.compactMap(\.pinnedVersion)
        try await engine.run { try $0.writeSidecars(of: pinned) }
    }

    /// Moves a resource's pin to the current version if that can replace the pinned one. On return, the new version's
    /// blob, catalog record and sidecar are durable. The old version is removed when its last reader leaves.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage``; the old version stays pinned.
    func movePin(of resource: Resource) async throws {
        try await table.withExclusiveAccess(to: [resource.key]) {
            guard self.table[resource.key] === resource, resource.pinTarget != nil else { return }
            // Includes the old version, which must exist until the move is complete.
            let held = resource.hold()
            defer { for representation in held { representation.release() } }
            do {
                try await self.pinBlobs(of: [resource], true)
            } catch {
                resource.state.withLock { $0.pinFailure = self.engine.time.monotonic }
                throw CacheError.wrap(error, as: .storage, "\(CacheKey(resource.key).name) can't be pinned")
            }
        }
    }
}

extension Resource {
    /// Holds and returns all representations, which the caller must release; none if the object has been retired.
    func hold() -> [Representation] {
        state.withLock { state in
            guard !state.isRetired else { return [] }
            let held = state.representations
            for representation in held { representation.hold() }
            return held
        }
    }
}
