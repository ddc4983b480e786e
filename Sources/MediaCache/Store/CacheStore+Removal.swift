import Synchronization

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
        var removals: [Removal] = []
        for info in try await resources() where includingPinned || !info.isPinned {
            removals.append(try await remove(key: info.key))
        }
        return removals
    }

    private func remove(key: String) async throws -> Removal {
        let bytes = try await engine.catalog.resource(key: key)?.representations.reduce(0) { $0 + $1.spans.byteCount }
        if try await giveUp(key: key) != nil { return Removal(key: key, bytes: bytes ?? 0, isDeferred: false) }
        if let resource = table[key] {
            resource.requestRemoval()
            // Its last reader may have left in between, and will not look again.
            resource.useEnded()
        }
        return Removal(key: key, bytes: bytes ?? 0, isDeferred: true)
    }

    /// Forgets all of a resource and unlinks its blobs, unless someone uses it. Returns the bytes freed, or nil.
    /// What has been pinned since it was chosen stays, if `sparesPinned`.
    func giveUp(key: String, sparesPinned: Bool = false) async throws -> Int64? {
        try await table.alone(with: key) {
            if sparesPinned, self.table[key]?.stored.isPinned == true { return nil }
            guard await self.takeOut(key: key) else { return nil }
            guard let entry = try await self.engine.catalog.resource(key: key) else { return 0 }
            if sparesPinned, entry.resource.isPinned { return nil }
            try await self.delete(entry.representations)
            try await self.engine.catalog.delete(representations: entry.damaged)
            return entry.representations.reduce(0) { $0 + $1.spans.byteCount }
        }
    }

    /// Closes a resource that nobody uses, so that its rows can be changed; no commit of it comes after. Returns false
    /// if someone uses it.
    private func takeOut(key: String) async -> Bool {
        guard let resource = table[key] else { return true }
        let representations = resource.representations
        guard resource.retire() else { return false }
        for representation in representations { representation.abandon() }
        table.remove(resource)
        await engine.committer.waitForRunning()
        return true
    }

    /// Catalog first, durably, then the files. Sidecars before both: one alone means that the catalog lost it.
    private func delete(_ representations: [StoredRepresentation]) async throws {
        let engine = engine
        try await engine.pool.run {
            for representation in representations { try engine.removeSidecar(of: representation.blob) }
        }
        try await engine.catalog.delete(representations: representations.map(\.id))
        try await engine.pool.run {
            for representation in representations { try engine.unlink(blob: representation.blob) }
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

    /// Applies the limits now, as they are or as given; returns the bytes freed.
    @discardableResult
    public func prune(limits: CacheLimits? = nil) async throws -> Int64 {
        try checkOpen()
        let limits = limits ?? engine.configuration.limits
        let engine = engine
        // So that the catalog knows what was used last.
        await engine.committer.commit()
        let totals = try await engine.catalog.byteTotals()
        let free = try await engine.pool.run { try engine.files.freeBytes(at: engine.configuration.location.evictable) }
        var situation = EvictionSituation(
            candidates: [], limits: limits, usedBytes: totals.all, freeDiskBytes: free, now: engine.time.now)
        guard situation.bytesOver > 0 || limits.maximumAge != nil else { return 0 }
        var limit = 256
        // In growing batches, so that a large catalog is never read whole to free a little.
        while true {
            let batch = try await engine.catalog.evictable(limit: limit)
            let idle = batch.filter { table[$0.resource.key]?.isInUse != true }
            situation.candidates = idle.map {
                .init(id: $0.resource.id, bytes: $0.bytes, lastUsed: $0.resource.lastUsed)
            }
            let steps = engine.configuration.eviction.steps(for: situation)
            let mayBeOlder = situation.candidates.last.map(situation.isTooOld) ?? true
            if batch.count < limit || (situation.bytesFreed(by: steps) >= situation.bytesOver && !mayBeOlder) {
                let keys = Dictionary(uniqueKeysWithValues: idle.map { ($0.resource.id, $0.resource.key) })
                var freed: Int64 = 0
                for step in steps { freed += try await carryOut(step, keys: keys) }
                return freed
            }
            limit *= 4
        }
    }

    private func carryOut(_ step: EvictionStep, keys: [Int64: String]) async throws -> Int64 {
        guard let key = keys[step.id] else { return 0 }
        let freed =
            switch step {
            case .remove: try await giveUp(key: key, sparesPinned: true) ?? 0
            case .shrink(_, let bytes): try await shrink(key: key, by: bytes)
            }
        guard freed > 0 else { return 0 }
        engine.counters.add(\.bytesEvicted, freed)
        engine.events.send(.evicted(key: key, bytes: freed))
        return freed
    }

    /// Punches holes into the resource's blob. One whose file others link to goes whole: its bytes are theirs. So does
    /// one that can't lose enough in part.
    private func shrink(key: String, by bytes: Int64) async throws -> Int64 {
        await engine.committer.commit()
        let freed: Int64? = try await table.alone(with: key) {
            guard self.table[key]?.stored.isPinned != true else { return 0 }
            guard await self.takeOut(key: key) else { return 0 }
            let engine = self.engine
            guard let entry = try await engine.catalog.resource(key: key), entry.damaged.isEmpty,
                !entry.resource.isPinned, entry.representations.count == 1, let only = entry.representations.first
            else { return nil }
            let holes = HolePlan.holes(in: only.spans, freeing: bytes)
            guard holes.reduce(0, { $0 + Int64($1.count) }) >= bytes else { return nil }
            let path = engine.blobs.path(of: only.blob, isKept: only.isKept)
            let file = try await engine.pool.run { () -> (any BlobFile)? in
                guard try engine.files.linkCount(of: path) == 1 else { return nil }
                return try engine.files.open(path, creating: false)
            }
            guard let file else { return nil }
            let snapshot = try await engine.pool.run {
                try CommitSnapshot(forgetting: holes, of: only, resource: entry.resource, catalog: engine.catalog)
            }
            try await engine.catalog.commit([snapshot])
            try await engine.pool.run {
                for hole in holes { try file.punch(hole) }
            }
            return only.spans.byteCount - snapshot.representation.spans.byteCount
        }
        if let freed { return freed }
        return try await giveUp(key: key, sparesPinned: true) ?? 0
    }

    /// Pins or unpins a resource: what is pinned is never evicted, and its blob lies with what is kept.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/notFound`` or ``CacheError/Code/storage``.
    public func setPinned(_ isPinned: Bool, id: Int64) async throws {
        await engine.committer.commit()
        guard let key = try await key(of: id), let entry = try await engine.catalog.resource(key: key),
            let resource = try await opened(entry.resource)
        else { throw CacheError(.notFound, "nothing is kept under number \(id)") }
        // Held, so that it's neither evicted nor removed on the way.
        let holds = resource.hold()
        guard !holds.isEmpty else { throw CacheError(.notFound, "nothing is kept under number \(id) any more") }
        defer { for hold in holds { hold.release() } }
        resource.setPinned(isPinned)
        do {
            try await pinBlobs(of: resource, isPinned)
        } catch {
            throw CacheError.wrap(error, as: .storage, "\(key) can't be \(isPinned ? "pinned" : "unpinned")")
        }
    }

    private func pinBlobs(of resource: Resource, _ isPinned: Bool) async throws {
        for representation in resource.representations {
            try await engine.pool.run {
                if !isPinned { try representation.removeSidecar() }
                try representation.move(isKept: isPinned)
            }
        }
        if let failure = await engine.committer.commit() { throw failure }
        guard isPinned else { return }
        for representation in resource.representations {
            try await engine.pool.run { try representation.writeSidecarIfDue() }
        }
    }
}

extension Resource {
    /// Keeps every representation in use until it's released; empty if the object has been retired.
    func hold() -> [RepresentationHold] {
        state.withLock { state in
            guard !state.isRetired else { return [] }
            return (state.superseded + (state.current.map { [$0] } ?? [])).map(RepresentationHold.init)
        }
    }
}

/// Keeps a representation in use.
struct RepresentationHold: Sendable {
    let representation: Representation
    private let session: (id: Int, window: Int64)

    init(_ representation: Representation) {
        self.representation = representation
        session = representation.attach(at: 0)
    }

    func release() {
        representation.detach(session.id, at: 0, window: session.window)
    }
}

extension CommitSnapshot {
    /// What a representation that isn't open is without `holes`. Blocks.
    fileprivate init(
        forgetting holes: [Range<Int64>], of stored: StoredRepresentation, resource: StoredResource, catalog: Catalog
    ) throws {
        var state = RepresentationState(
            head: stored.head, freshness: stored.freshness, written: stored.spans,
            checksums: BlockChecksums(encodedPages: try catalog.checksumPages(of: stored.id)))
        for hole in holes { state.forget(hole) }
        self.init(resource: resource, representation: stored, dirtyPages: state.takeDirtyPages())
        representation.spans = state.written
    }
}

extension EvictionStep {
    fileprivate var id: Int64 {
        switch self {
        case .remove(let id), .shrink(let id, _): id
        }
    }
}
