extension CacheStore {
    // MARK: - Free space

    /// Returns the number of bytes that may be written now. If that would be less than `needed`, first evicts other
    /// content. It evicts more than necessary, so that a full cache isn't measured for each buffer.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if nothing more can be evicted.
    func makeSpace(for needed: Int64) async throws -> Int64 {
        var situation = try await situation(engine.limits)
        if situation.space >= needed { return situation.space }
        // Bytes in a running commit may have been counted twice.
        await engine.committer.commit()
        situation = try await self.situation(engine.limits)
        if situation.space >= needed { return situation.space }
        situation.incomingBytes = needed + min(Self.maximumMargin, situation.usedBytes / 8)
        try await evict(in: situation)
        situation = try await self.situation(engine.limits)
        guard situation.space >= needed else { throw situation.failure }
        return situation.space
    }

    private static let maximumMargin: Int64 = 64 << 20

    /// Returns the current situation without candidates.
    private func situation(_ limits: CacheLimits) async throws -> EvictionSituation {
        let uncommitted = table.all.flatMap(\.representations).reduce(Int64(0)) { total, representation in
            total + representation.withState(\.uncommittedBytes)
        }
        let committed = try await engine.catalog.bytesCached()
        let free = try await engine.run { try $0.freeBytes }
        var limits = limits
        limits.minimumFreeBytes = max(limits.minimumFreeBytes, SpaceReservation.floor)
        return EvictionSituation(
            candidates: [], limits: limits, usedBytes: committed + uncommitted, freeDiskBytes: free,
            now: engine.time.now)
    }

    // MARK: - Preview

    /// Returns the resources that would be evicted next by the default policy (``LeastRecentlyUsed``), in order. Pinned
    /// and in-use resources are excluded. ``ResourceInfo/bytesCached`` includes all versions of a resource.
    ///
    /// - Parameter count: The maximum number of resources.
    /// - Throws: The same errors as ``resources()``.
    public func evictionCandidates(atMost count: Int) async throws -> [ResourceInfo] {
        try checkOpen()
        // The catalog must have the latest uses.
        await engine.committer.commit()
        var infos: [ResourceInfo] = []
        // Resources in use are skipped.
        for (resource, bytes) in try await engine.catalog.evictable(limit: count + table.all.count)
        where infos.count < count && table[resource.key]?.isHeld != true {
            guard var info = try await self.resource(id: resource.id) else { continue }
            info.bytesCached = bytes
            infos.append(info)
        }
        return infos
    }

    // MARK: - Eviction

    /// Changes the limits of the cache size, and evicts content that exceeds them.
    ///
    /// - Returns: The number of bytes freed; 0 if the folder isn't writable.
    /// - Throws: The errors of ``prune(limits:)``. The limits have changed nevertheless.
    @discardableResult
    public func setLimits(_ limits: CacheLimits) async throws -> Int64 { try await updateLimits { $0 = limits } }

    /// Changes ``limits`` in one step, so that no concurrent change is lost, and evicts content that exceeds them.
    ///
    /// - Parameter change: A function that is called under a lock. It must not use the store.
    /// - Returns: The number of bytes freed; 0 if the folder isn't writable.
    /// - Throws: The errors of ``prune(limits:)``. The limits have changed nevertheless.
    @discardableResult
    public func updateLimits(_ change: (inout CacheLimits) -> Void) async throws -> Int64 {
        engine.updateLimits(change)
        engine.space.revoke()
        return isWritable ? try await prune() : 0
    }

    /// Evicts content that exceeds `limits`, or the store's ``limits`` if nil. The limits of the store don't change.
    ///
    /// - Returns: The number of bytes freed. It may be too small to meet the limits, because pinned and in-use content
    ///   is spared.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the content can't be evicted, or with
    ///   ``CacheError/Code/closed``, ``CacheError/Code/damaged`` or ``CacheError/Code/cancelled``.
    @discardableResult
    public func prune(limits: CacheLimits? = nil) async throws -> Int64 {
        try checkOpen()
        let limits = limits ?? engine.limits
        // The catalog must have the latest uses.
        await engine.committer.commit()
        return try await CacheError.wrapping("content can't be evicted") {
            let situation = try await self.situation(limits)
            guard situation.bytesOver > 0 || limits.maximumAge != nil else { return 0 }
            return try await self.evict(in: situation)
        }
    }

    /// Deletes unpinned versions of pinned resources if bytes must be freed, then executes the eviction policy's
    /// decisions. Returns the number of bytes freed.
    @discardableResult
    private func evict(in situation: EvictionSituation) async throws -> Int64 {
        try checkOpen()
        var situation = situation
        let others = situation.bytesOver > 0 ? try await deleteUnpinnedVersions(atLeast: situation.bytesOver) : 0
        situation.usedBytes -= others
        situation.freeDiskBytes += others
        guard situation.bytesOver > 0 || situation.limits.maximumAge != nil else { return others }
        var limit = 256
        // Growing batches avoid reading a large catalog to free a few bytes.
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

    /// Deletes the unpinned versions of idle pinned resources until enough bytes are free. Returns the bytes freed.
    private func deleteUnpinnedVersions(atLeast needed: Int64) async throws -> Int64 {
        var freed: Int64 = 0
        for key in try await engine.catalog.keysWithUnpinnedVersions() where freed < needed {
            let bytes = try await table.withExclusiveAccess(to: [key]) {
                guard await self.closeForRemoval(keys: [key])[key] != nil,
                    let entry = try await self.engine.catalog.resource(key: key),
                    let pinned = entry.versions.pinned
                else { return Int64(0) }
                let others = entry.representations.filter { $0.id != pinned.id && !$0.isDurable }
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
        let key =
            switch step {
            case .remove(let id), .shrink(let id, _): keys[id]
            }
        guard let key else { return 0 }
        let freed =
            switch step {
            case .remove: try await deleteResource(key: key, sparesPinned: true) ?? 0
            case .shrink(_, let bytes): try await shrink(key: key, by: bytes)
            }
        guard freed > 0 else { return 0 }
        engine.counters.add(\.bytesEvicted, freed)
        engine.events.send(.evicted(key: key, bytes: freed))
        return freed
    }

    /// Punches holes into a resource's blob. Removes the resource instead if it has several versions or damaged
    /// records, if holes can't free enough bytes, if the blob is missing, if the blob has other hard links, which would
    /// lose the bytes, too, or if the file system doesn't support holes.
    ///
    /// - Returns: The number of bytes freed; 0 if the resource is in use or pinned.
    private func shrink(key: String, by bytes: Int64) async throws -> Int64 {
        await engine.committer.commit()
        let (freed, mustRemove) = try await table.withExclusiveAccess(to: [key]) { () -> (Int64, Bool) in
            guard self.table[key]?.stored.isPinned != true else { return (0, false) }
            guard await self.closeForRemoval(keys: [key])[key] != nil else { return (0, false) }
            guard let entry = try await self.engine.catalog.resource(key: key), entry.damaged.isEmpty,
                !entry.resource.isPinned, entry.representations.count == 1, let only = entry.representations.first
            else { return (0, true) }
            let holes = HolePlan.holes(in: only.spans, freeing: bytes)
            guard holes.reduce(0, { $0 + Int64($1.count) }) >= bytes else { return (0, true) }
            let file = try await self.engine.run { engine -> (any BlobFile)? in
                let path = engine.blobs.path(of: only.blob, isDurable: only.isDurable)
                do {
                    guard try engine.files.linkCount(of: path) == 1 else { return nil }
                    return try engine.files.open(path, creating: false)
                } catch let error as SystemError where error.isMissingFile {
                    // The system may purge blobs, and users may delete them.
                    return nil
                }
            }
            guard let file else { return (0, true) }
            let snapshot: CommitSnapshot
            do {
                snapshot = try await self.engine.run { engine in
                    var state = RepresentationState(only, pages: try engine.catalog.checksumPages(of: only.id))
                    for hole in holes { state.forget(hole) }
                    var remaining = only
                    remaining.spans = state.written
                    return CommitSnapshot(
                        resource: entry.resource, representation: remaining, dirtyPages: state.takeDirtyPages())
                }
            } catch let error as CacheError where error.code == .damaged {
                return (0, true)
            }
            try await self.engine.catalog.commit([snapshot])
            let forgotten = only.spans.byteCount - snapshot.representation.spans.byteCount
            do {
                try await self.engine.pool.run { for hole in holes { try file.punch(hole) } }
                return (forgotten, false)
            } catch let error as SystemError where error.isUnsupported {
                return (forgotten, true)
            }
        }
        guard mustRemove else { return freed }
        return freed + (try await deleteResource(key: key, sparesPinned: true) ?? 0)
    }
}

extension EvictionSituation {
    /// The number of bytes that may be written before a limit is reached.
    fileprivate var space: Int64 {
        min(limits.maximumBytes.map { $0 - usedBytes } ?? .max, freeDiskBytes - limits.minimumFreeBytes)
    }

    /// The error for a full cache.
    fileprivate var failure: CacheError {
        let reason =
            if let maximum = limits.maximumBytes, maximum - usedBytes <= freeDiskBytes - limits.minimumFreeBytes {
                "\(ByteCount(usedBytes)) of \(ByteCount(maximum)) are used"
            } else {
                "\(ByteCount(freeDiskBytes)) are free on the disk, and \(ByteCount(limits.minimumFreeBytes)) must stay free"
            }
        return CacheError(
            .storage,
            "the cache is full: \(reason); its content is in use or pinned. Remove resources, or change the limits")
    }
}

/// The selection of bytes to remove when a blob is shrunk.
enum HolePlan {
    /// The number of bytes to preserve at the start and the end, which players need first.
    static let edge: Int64 = 1 << 20

    /// Returns ranges of whole blocks, from the end backwards, with a total of at least `bytes` bytes if possible.
    static func holes(in spans: SpanMap, freeing bytes: Int64) -> [Range<Int64>] {
        let block = BlockChecksums.blockSize
        let end = (spans.upperBound - edge) / block * block
        var left = bytes
        var holes: [Range<Int64>] = []
        for span in spans.spans.reversed() where left > 0 {
            let lower = (max(span.lowerBound, edge) + block - 1) / block * block
            let upper = min(span.upperBound / block * block, end)
            guard lower < upper else { continue }
            let hole = max(lower, (upper - left) / block * block)..<upper
            holes.append(hole)
            left -= Int64(hole.count)
        }
        return holes
    }
}
