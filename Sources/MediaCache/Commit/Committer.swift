package import Logging

/// A committer of written bytes. It syncs the blobs, then updates the catalog in one transaction.
///
/// A commit starts 1 s after the first change, or as soon as 8 MiB have been written.
package final class Committer: Sendable {
    private static let interval = Duration.seconds(1)
    private static let distance: Int64 = 8 << 20

    private struct State {
        var dirty: [ObjectIdentifier: Representation] = [:]
        var usedResources: [Int64: Resource] = [:]
        var bytes: Int64 = 0
        var timer: Task<Void, Never>?
        var running: Task<CacheError?, Never>?
        /// The commit that starts when the running one ends. All callers until then share it.
        var next: Task<CacheError?, Never>?
        /// Whether timed commits are off because the store is closed or suspended.
        var isPaused = false
        var isClosed = false
    }

    private let catalog: Catalog
    private let files: any BlobFileSystem
    private let time: any TimeSource
    private let pool: BlockingPool
    private let health: StorageHealth
    private let counters: Counters
    private let logger: Logger
    private let state = OrderedMutex(.committer, State())

    package init(
        catalog: Catalog, files: any BlobFileSystem, time: any TimeSource, pool: BlockingPool, health: StorageHealth,
        counters: Counters, logger: Logger
    ) {
        self.catalog = catalog
        self.files = files
        self.time = time
        self.pool = pool
        self.health = health
        self.counters = counters
        self.logger = logger
    }

    var dirtyCount: Int { state.withLock { $0.dirty.count } }

    /// Registers a representation with changes to commit.
    func markDirty(_ representation: Representation, bytes: Int64) {
        let isFull = state.withLock { state in
            guard !state.isClosed else { return false }
            state.dirty[ObjectIdentifier(representation)] = representation
            state.bytes += bytes
            startTimer(&state)
            return state.bytes >= Self.distance
        }
        if isFull { scheduleCommit() }
    }

    /// Registers the use of a resource. The next commit writes its record.
    func markUsed(_ resource: Resource) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.usedResources[resource.id] = resource
            startTimer(&state)
        }
    }

    private func startTimer(_ state: inout State) {
        guard state.timer == nil, !state.isPaused else { return }
        state.timer = Task { [weak self, time] in
            guard (try? await time.sleep(for: Self.interval)) != nil else { return }
            self?.state.withLock { $0.timer = nil }
            _ = await self?.commit()
        }
    }

    /// Commits everything written before the call. Returns the first error, if any.
    @discardableResult
    package func commit() async -> CacheError? {
        await scheduleCommit().value
    }

    /// Waits for the end of the running commit, if any.
    func waitForRunning() async {
        _ = await state.withLock { $0.running }?.value
    }

    /// Starts a commit after the running one, unless one is already waiting.
    @discardableResult
    func scheduleCommit() -> Task<CacheError?, Never> {
        state.withLock { state in
            if let next = state.next { return next }
            let running = state.running
            let task = Task {
                _ = await running?.value
                return await self.run()
            }
            state.next = task
            return task
        }
    }

    /// Commits all changes and stops timed commits.
    package func pause() async {
        state.withLock { state in
            state.isPaused = true
            state.timer?.cancel()
            state.timer = nil
        }
        await commit()
    }

    package func resume() {
        state.withLock { state in
            state.isPaused = false
            if !state.dirty.isEmpty || !state.usedResources.isEmpty { startTimer(&state) }
        }
    }

    /// Commits all changes, and discards those that can't be committed.
    package func close() async {
        await pause()
        state.withLock { state in
            state.isClosed = true
            state.dirty = [:]
            state.usedResources = [:]
        }
    }

    private func run() async -> CacheError? {
        let (dirty, used) = state.withLock { state in
            defer {
                state.running = state.next
                state.next = nil
                state.dirty = [:]
                state.usedResources = [:]
                state.bytes = 0
            }
            return (Array(state.dirty.values), Array(state.usedResources.values))
        }
        let commits = dirty.compactMap { $0.takeCommit() }
        let unsynced = await sync(commits)
        let lost = unsynced.map { (commits[$0].representation, $1) }
        if !lost.isEmpty {
            await pool.perform { for (representation, error) in lost { representation.forgetUnsynced(after: error) } }
        }
        let synced = commits.indices.filter { unsynced[$0] == nil }
        let uncommitted = await record(synced.map { commits[$0] }, used: used)
        var failure: CacheError?
        for index in commits.indices {
            let commit = commits[index]
            let error = unsynced[index] ?? uncommitted.commits[ObjectIdentifier(commit.representation)]
            failure = failure ?? error
            commit.representation.commitEnded(commit, error: error)
            if error == nil { counters.add(\.bytesCommitted, commit.bytes) }
        }
        failure = failure ?? uncommitted.uses
        if let failure { health.failed(failure) }
        for commit in commits where uncommitted.commits[ObjectIdentifier(commit.representation)] != nil {
            if commit.newFolder != nil { await commit.representation.deleteBlobIfDiskIsFull() }
        }
        await writeSidecars(synced.map { commits[$0] })
        state.withLock { $0.running = nil }
        return failure
    }

    /// Syncs blobs and new folders. Returns errors by index.
    private func sync(_ commits: [PendingCommit]) async -> [Int: CacheError] {
        let written = commits.indices.filter { commits[$0].file != nil }
        guard !written.isEmpty else { return [:] }
        return await pool.perform { [files] in
            let failures = files.sync(
                written.compactMap { commits[$0].file }, folders: Set(commits.compactMap(\.newFolder)))
            var errors: [Int: CacheError] = [:]
            for (position, index) in written.enumerated() {
                let failure = failures.files[position] ?? commits[index].newFolder.flatMap { failures.folders[$0] }
                errors[index] = failure.map(Self.wrap)
            }
            return errors
        }
    }

    /// Writes the catalog. Returns errors by representation, and the error of writing the uses of resources. Uses that
    /// can't be written are registered again for the next commit unless the catalog is damaged.
    private func record(
        _ commits: [PendingCommit], used: [Resource]
    ) async -> (commits: [ObjectIdentifier: CacheError], uses: CacheError?) {
        guard !commits.isEmpty || !used.isEmpty else { return ([:], nil) }
        do {
            try await catalog.commit(commits.map(\.snapshot), uses: used.map(\.stored))
            return ([:], nil)
        } catch let error as CacheError where error.code == .damaged {
            catalog.markSuspect()
            let failure = Self.wrap(error)
            health.failedForGood(failure)
            let failures = Dictionary(
                commits.map { (ObjectIdentifier($0.representation), failure) }, uniquingKeysWith: { first, _ in first })
            return (failures, used.isEmpty ? nil : failure)
        } catch {
            // One record that can't be written must not prevent the others from being written.
            var failures: [ObjectIdentifier: CacheError] = [:]
            for commit in commits {
                do {
                    try await catalog.commit([commit.snapshot])
                } catch {
                    failures[ObjectIdentifier(commit.representation)] = Self.wrap(error)
                }
            }
            guard !used.isEmpty else { return (failures, nil) }
            do {
                try await catalog.commit([], uses: used.map(\.stored))
                return (failures, nil)
            } catch {
                markUsedAgain(used)
                return (failures, Self.wrap(error))
            }
        }
    }

    /// Registers uses that couldn't be written. They may include pins, which must not be lost.
    private func markUsedAgain(_ resources: [Resource]) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.usedResources.merge(resources.map { ($0.id, $0) }) { later, _ in later }
            startTimer(&state)
        }
    }

    /// Creates missing and updates outdated sidecars of synced representations of pinned resources.
    private func writeSidecars(_ commits: [PendingCommit]) async {
        let pinned = commits.filter(\.snapshot.resource.isPinned).map(\.representation)
        guard let engine = pinned.first?.engine else { return }
        do {
            try await engine.run { try $0.writeSidecars(of: pinned) }
        } catch {
            let failure = Self.wrap(error)
            logger.error("sidecar not written", metadata: ["error": "\(failure)"])
            health.failed(failure)
        }
    }

    private static func wrap(_ error: any Error) -> CacheError {
        if let error = error as? CacheError, error.code == .storage { return error }
        return CacheError(.storage, "received bytes can't be committed to the cache; check the disk", cause: error)
    }
}
