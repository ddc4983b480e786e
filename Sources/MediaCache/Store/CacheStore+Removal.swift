extension CacheStore {
    /// Removes a resource. What is in use goes when its last reader leaves.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/notFound``.
    public func remove(id: Int64) async throws -> Removal {
        await engine.committer.commit()
        guard let key = try await key(of: id) else {
            throw CacheError(.notFound, "nothing is kept under number \(id)")
        }
        return try await remove(key: key)
    }

    /// Removes everything; what is pinned only if `includingPinned`.
    public func removeAll(includingPinned: Bool = false) async throws -> [Removal] {
        await engine.committer.commit()
        var keys = try await resources().filter { includingPinned || !$0.isPinned }.map(\.key)
        // Also what the catalog hasn't learned of, because the disk is full.
        let unknown = table.all.filter { !$0.representations.isEmpty && (includingPinned || !$0.stored.isPinned) }
        keys += Set(unknown.map(\.key)).subtracting(keys)
        var removals: [Removal] = []
        for key in keys { removals.append(try await remove(key: key)) }
        return removals
    }

    private func remove(key: String) async throws -> Removal {
        let bytes = try await engine.catalog.resource(key: key)?.representations.reduce(0) { $0 + $1.spans.byteCount }
        let name = CacheKey(key).name
        if try await giveUp(key: key) != nil { return Removal(key: name, bytes: bytes ?? 0, isDeferred: false) }
        if let resource = table[key] {
            resource.requestRemoval()
            // Its last reader may have left in between, and will not look again.
            resource.useEnded()
        }
        return Removal(key: name, bytes: bytes ?? 0, isDeferred: true)
    }

    /// Forgets all of a resource and unlinks its blobs, unless someone uses it. Returns the bytes freed, or nil.
    /// What has been pinned since it was chosen stays, if `sparesPinned`.
    func giveUp(key: String, sparesPinned: Bool = false) async throws -> Int64? {
        try await table.alone(with: key) {
            if sparesPinned, self.table[key]?.stored.isPinned == true { return nil }
            guard let taken = await self.takeOut(key: key) else { return nil }
            guard let entry = try await self.engine.catalog.resource(key: key) else {
                try await self.unlink(taken)
                return 0
            }
            if sparesPinned, entry.resource.isPinned { return nil }
            try await self.delete(entry.representations)
            try await self.engine.catalog.delete(representations: entry.damaged)
            return entry.representations.reduce(0) { $0 + $1.spans.byteCount }
        }
    }

    /// Closes a resource that nobody uses, so that its rows can be changed; no commit of it comes after. Returns the
    /// blobs that were open, by name so that their room is free once they are deleted; nil if someone uses it.
    func takeOut(key: String) async -> [String]? {
        guard let resource = table[key] else { return [] }
        let representations = resource.representations
        guard resource.retire(givingUp: true) else { return nil }
        for representation in representations { representation.abandon() }
        table.remove(resource)
        await engine.committer.waitForRunning()
        return representations.map(\.blob)
    }

    /// Catalog first, durably, then the files. Sidecars before both: one alone means that the catalog lost it.
    private func delete(_ representations: [StoredRepresentation]) async throws {
        let engine = engine
        try await engine.pool.run {
            for representation in representations { try engine.removeSidecar(of: representation.blob) }
        }
        do {
            try await engine.catalog.delete(representations: representations.map(\.id))
        } catch {
            // On a full disk the catalog can't even shrink: then the blobs make room for it. A row whose blob is missing
            // is found at opening.
            guard try await engine.pool.run({ try engine.isDiskFull }) else { throw error }
            try await unlink(representations.map(\.blob))
            try await engine.catalog.delete(representations: representations.map(\.id))
        }
        try await unlink(representations.map(\.blob))
    }

    private func unlink(_ blobs: [String]) async throws {
        let engine = engine
        try await engine.pool.run {
            for blob in blobs { try engine.unlink(blob: blob) }
        }
    }

    /// Does what was put off while someone read.
    func removeWhatGoes(of resource: Resource) async throws {
        await engine.committer.commit()
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
