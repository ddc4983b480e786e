import Logging
import Synchronization

extension Representation {
    /// How far writing may run ahead of what is committed.
    private static let commitDistance: Int64 = 64 << 20

    // MARK: - Room

    /// Returns when the committer is near enough for more bytes to be written.
    ///
    /// - Throws: what keeps bytes from being kept; `CancellationError` when the task is cancelled.
    func waitForRoom() async throws {
        while true {
            try Task.checkCancellation()
            let (failure, isFar) = state.withLock { ($0.keepFailure, $0.uncommittedBytes > Self.commitDistance) }
            if let failure { throw failure }
            guard isFar else { return }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    file.withLock { $0.roomWaiters.append(continuation) }
                    // A commit may have ended since the look above; it would not look again.
                    if hasRoom || Task.isCancelled { releaseRoomWaiters() } else { engine.committer.commitSoon() }
                }
            } onCancel: {
                releaseRoomWaiters()
            }
        }
    }

    private var hasRoom: Bool {
        state.withLock { $0.uncommittedBytes <= Self.commitDistance || $0.keepFailure != nil }
    }

    private func releaseRoomWaiters() {
        let waiters = file.withLock { state in
            defer { state.roomWaiters = [] }
            return state.roomWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The folder takes bytes again.
    func storageRecovered() {
        state.withLock { $0.keepFailure = nil }
    }

    // MARK: - Commit

    /// What is to be committed now, with the file to be synced first; nil if there is nothing.
    package func takeCommit() -> PendingCommit? {
        let isAbandoned = file.withLock { file in
            file.isCommitting = true
            return file.isAbandoned
        }
        // Never inside the state's lock: a resource looks at its representations inside its own.
        let (stored, isTransient) = resource.rowForCommit
        let taken = isAbandoned ? nil : takeState()
        guard let taken else {
            file.withLock { $0.isCommitting = false }
            return nil
        }
        // Looked at after the state: whatever the state says was written had the file open by then.
        let (isKept, isNew, openFile) = file.withLock { ($0.isKept, $0.isNew, $0.file) }
        return PendingCommit(
            representation: self,
            snapshot: CommitSnapshot(
                resource: stored,
                representation: StoredRepresentation(
                    id: id, resourceID: resource.id, blob: blob, isKept: isKept, head: taken.head,
                    freshness: taken.freshness, ignoresRanges: taken.ignoresRanges,
                    isSuperseded: taken.isSuperseded || isTransient, spans: taken.spans, lost: taken.lost,
                    transform: taken.transform),
                dirtyPages: taken.dirtyPages),
            file: taken.bytes > 0 ? openFile : nil,
            newFolder: isNew && taken.bytes > 0 ? engine.blobs.folder(of: blob, isKept: isKept) : nil,
            bytes: taken.bytes)
    }

    private struct TakenState: Sendable {
        var head: ResourceHead
        var freshness: Freshness
        var ignoresRanges: Bool
        var isSuperseded: Bool
        var transform: AppliedTransform?
        var spans: SpanMap
        var lost: SpanMap
        var dirtyPages: [Int64: [UInt8]]
        var bytes: Int64
    }

    private func takeState() -> TakenState? {
        state.withLock { state in
            guard state.needsCommit else { return nil }
            return TakenState(
                head: state.head, freshness: state.freshness, ignoresRanges: state.ignoresRanges,
                isSuperseded: state.isSuperseded || state.isReplaced, transform: state.transform,
                spans: state.written, lost: state.lost, dirtyPages: state.takeDirtyPages(),
                bytes: state.uncommittedBytes)
        }
    }

    package func commitEnded(_ commit: PendingCommit, error: CacheError?) {
        if let error {
            state.withLock { state in
                state.commitFailed(pages: commit.snapshot.dirtyPages.keys)
                state.keepFailure = error
            }
            engine.committer.markDirty(self, bytes: 0)
        } else {
            state.withLock { $0.didCommit(bytes: commit.bytes) }
            file.withLock { file in
                if commit.newFolder != nil { file.isNew = false }
                file.committed = commit.snapshot.representation.spans
            }
        }
        file.withLock { $0.isCommitting = false }
        releaseRoomWaiters()
        resource.useEnded()
    }

    /// A sync failed: the system may have dropped what was written, during the sync too, and says so only once. What the
    /// catalog doesn't know becomes a hole. Blocks.
    func forgetUnsynced() {
        writing.withLock { _ in
            let committed = file.withLock { $0.committed }
            state.withLock { state in
                var unsynced = state.written
                for span in committed.spans { unsynced.remove(span) }
                for span in unsynced.spans { state.forget(span) }
                state.uncommittedBytes = 0
            }
        }
    }

    /// It's being deleted: nothing of it is committed from now on. Where nobody reads it, its file is let go, whoever
    /// still refers to this object: a deleted file takes room until it's closed.
    func abandon(isRead: Bool = false) {
        file.withLock { file in
            file.isAbandoned = true
            if !isRead { file.file = nil }
        }
    }

    /// What the catalog has never known of may not hold the room that the catalog would need to learn of it: the file
    /// goes. Who reads it goes on reading, and it's forgotten with its last reader.
    func giveUpIfDiskIsFull() async {
        let (engine, blob) = (engine, blob)
        guard !resource.stored.isPinned, await engine.pool.perform({ (try? engine.isDiskFull) == true }) else { return }
        abandon(isRead: true)
        resource.requestRemoval()
        let failure: (any Error)? = await engine.pool.perform {
            do {
                try engine.unlink(blobs: [blob])
                return nil
            } catch {
                return error
            }
        }
        if let failure { engine.logger.error("blob not deleted", metadata: ["error": "\(failure)"]) }
        resource.useEnded()
    }
}

/// What one representation adds to a commit.
package struct PendingCommit: Sendable {
    package var representation: Representation
    package var snapshot: CommitSnapshot
    /// The file to sync, if bytes were written to it.
    package var file: (any BlobFile)?
    /// The folder whose entries have to become durable.
    package var newFolder: String?
    package var bytes: Int64
}
