extension CacheStore {
    // MARK: - Room

    /// How many bytes may be written now. Where there's less than `needed`, others are given up: more than that by a
    /// part, so that a full cache isn't measured for every buffer.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if nothing more can be given up.
    func makeRoom(for needed: Int64) async throws -> Int64 {
        var situation = try await situation(engine.configuration.limits)
        if situation.room >= needed { return situation.room }
        // What is on its way into the catalog may have been counted twice.
        await engine.committer.commit()
        situation = try await self.situation(engine.configuration.limits)
        if situation.room >= needed { return situation.room }
        situation.incomingBytes = needed + min(Self.largestMargin, situation.usedBytes / 8)
        try await giveUp(in: situation)
        situation = try await self.situation(engine.configuration.limits)
        guard situation.room >= needed else { throw situation.failure }
        return situation.room
    }

    private static let largestMargin: Int64 = 64 << 20

    /// How things stand, without candidates.
    private func situation(_ limits: CacheLimits) async throws -> EvictionSituation {
        let engine = engine
        let uncommitted = table.all.flatMap(\.representations).reduce(Int64(0)) { total, representation in
            total + representation.withState(\.uncommittedBytes)
        }
        let committed = try await engine.catalog.bytesKept()
        let free = try await engine.pool.run { try engine.freeBytes }
        var limits = limits
        limits.minimumFreeBytes = max(limits.minimumFreeBytes, StorageRoom.floor)
        return EvictionSituation(
            candidates: [], limits: limits, usedBytes: committed + uncommitted, freeDiskBytes: free,
            now: engine.time.now)
    }

    // MARK: - Looking ahead

    /// What would be given up next if room were needed, the first first: what is neither pinned nor in use, as the
    /// standard policy (``LeastRecentlyUsed``) takes it.
    ///
    /// - Parameter count: how many at most.
    /// - Throws: ``CacheError`` with ``CacheError/Code/closed`` or ``CacheError/Code/storage``.
    public func nextToGo(atMost count: Int) async throws -> [ResourceInfo] {
        try checkOpen()
        // So that the catalog knows what was used last.
        await engine.committer.commit()
        var infos: [ResourceInfo] = []
        // Some are in use: they stay.
        for (resource, bytes) in try await engine.catalog.evictable(limit: count + table.all.count)
        where infos.count < count && table[resource.key]?.isHeld != true {
            guard var info = try await self.resource(id: resource.id) else { continue }
            info.bytesKept = bytes
            infos.append(info)
        }
        return infos
    }

    // MARK: - Giving up

    /// Applies the limits now, as they are or as given; returns the bytes freed.
    @discardableResult
    public func prune(limits: CacheLimits? = nil) async throws -> Int64 {
        try checkOpen()
        let limits = limits ?? engine.configuration.limits
        // So that the catalog knows what was used last.
        await engine.committer.commit()
        let situation = try await situation(limits)
        guard situation.bytesOver > 0 || limits.maximumAge != nil else { return 0 }
        return try await giveUp(in: situation)
    }

    /// Carries out what the policy says; returns the bytes freed.
    @discardableResult
    private func giveUp(in situation: EvictionSituation) async throws -> Int64 {
        try checkOpen()
        var situation = situation
        let others = situation.bytesOver > 0 ? try await giveUpUnpinnedVersions(atLeast: situation.bytesOver) : 0
        situation.usedBytes -= others
        situation.freeDiskBytes += others
        guard situation.bytesOver > 0 || situation.limits.maximumAge != nil else { return others }
        var limit = 256
        // In growing batches, so that a large catalog is never read whole to free a little.
        while true {
            let batch = try await engine.catalog.evictable(limit: limit)
            let idle = batch.filter { table[$0.resource.key]?.isHeld != true }
            situation.candidates = idle.map {
                .init(id: $0.resource.id, bytes: $0.bytes, lastUsed: $0.resource.lastUsed)
            }
            let steps = engine.configuration.eviction.steps(for: situation)
            let mayBeOlder = situation.candidates.last.map(situation.isTooOld) ?? true
            if batch.count < limit || (situation.bytesFreed(by: steps) >= situation.bytesOver && !mayBeOlder) {
                let keys = Dictionary(uniqueKeysWithValues: idle.map { ($0.resource.id, $0.resource.key) })
                var freed = others
                for step in steps { freed += try await carryOut(step, keys: keys) }
                return freed
            }
            limit *= 4
        }
    }

    /// Gives up newer versions that lie beside a pinned one and aren't in use, until enough bytes are free.
    private func giveUpUnpinnedVersions(atLeast needed: Int64) async throws -> Int64 {
        var freed: Int64 = 0
        for key in try await engine.catalog.pinnedWithOthers() where freed < needed {
            let bytes = try await table.alone(with: key) {
                guard await self.takeOut(key: key) != nil, let entry = try await self.engine.catalog.resource(key: key),
                    let pinned = entry.versions.pinned
                else { return Int64(0) }
                let others = entry.representations.filter { $0.id != pinned.id && !$0.isKept }
                try await self.delete(others)
                return others.reduce(0) { $0 + $1.spans.byteCount }
            }
            guard bytes > 0 else { continue }
            freed += bytes
            engine.counters.add(\.bytesEvicted, bytes)
            engine.events.send(.evicted(key: key, bytes: bytes))
        }
        return freed
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
            guard await self.takeOut(key: key) != nil else { return 0 }
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

extension EvictionSituation {
    /// How many bytes may be written before a limit is passed.
    fileprivate var room: Int64 {
        min(limits.maximumBytes.map { $0 - usedBytes } ?? .max, freeDiskBytes - limits.minimumFreeBytes)
    }

    /// Why there's no room.
    fileprivate var failure: CacheError {
        let reason =
            if let maximum = limits.maximumBytes, maximum - usedBytes <= freeDiskBytes - limits.minimumFreeBytes {
                "\(usedBytes) of the \(maximum) bytes that may be kept are taken"
            } else {
                "\(freeDiskBytes) bytes are free on the disk, and \(limits.minimumFreeBytes) are to stay free"
            }
        return CacheError(
            .storage, "the cache is full: \(reason); all else is in use or pinned. Remove some, or raise the limit")
    }
}
