import Logging

extension Representation {
    /// The number of uncommitted bytes beyond which writing waits for a commit.
    private static let commitDistance: Int64 = 64 << 20

    // MARK: - Back pressure

    /// Waits until at most ``commitDistance`` bytes are uncommitted.
    ///
    /// - Throws: The error that prevents bytes from being stored; `CancellationError` if the task is cancelled.
    func waitForCommitter() async throws {
        var failure: CacheError?
        await workEnded.wait {
            let isFar = state.withLock { state in
                failure = state.storingFailure
                return state.uncommittedBytes > Self.commitDistance
            }
            guard isFar, failure == nil, !Task.isCancelled else { return false }
            engine.committer.scheduleCommit()
            return true
        }
        try Task.checkCancellation()
        if let failure { throw failure }
    }

    // MARK: - Commit

    /// Returns the changes to commit, and the file to sync first; nil without changes, or during a deletion.
    package func takeCommit() -> PendingCommit? {
        let isAbandoned = file.withLock { file in
            file.isCommitting = true
            return file.isAbandoned
        }
        // Outside the state's lock, because the lock of a resource must be acquired before those of its
        // representations.
        let (stored, isTransient) = resource.rowForCommit
        let pending = state.withLock { state -> (snapshot: CommitSnapshot, bytes: Int64)? in
            guard !isAbandoned, state.needsCommit else { return nil }
            let representation = StoredRepresentation(
                id: id, resourceID: resource.id, blob: blob, isDurable: false, head: state.head,
                freshness: state.freshness, ignoresRanges: state.ignoresRanges,
                isSuperseded: state.isSuperseded || state.isReplaced || isTransient, spans: state.written,
                lost: state.lost, transform: state.transform)
            let pages = state.takeDirtyPages()
            return (
                CommitSnapshot(resource: stored, representation: representation, dirtyPages: pages),
                state.uncommittedBytes
            )
        }
        guard let (found, bytes) = pending else {
            file.withLock { $0.isCommitting = false }
            return nil
        }
        // Read after the state: the file is open if the state contains uncommitted bytes.
        let (isDurable, isNew, openFile) = file.withLock { ($0.isDurable, $0.isNew, $0.file) }
        var snapshot = found
        snapshot.representation.isDurable = isDurable
        return PendingCommit(
            representation: self, snapshot: snapshot, file: bytes > 0 ? openFile : nil,
            newFolder: isNew && bytes > 0 ? engine.blobs.folder(of: blob, isDurable: isDurable) : nil, bytes: bytes)
    }

    /// Completes a commit. If it failed, schedules its changes for the next one.
    package func commitEnded(_ commit: PendingCommit, error: CacheError?) {
        if let error {
            withState { state in
                state.commitFailed(pages: commit.snapshot.dirtyPages.keys)
                state.storingFailure = error
            }
        } else {
            state.withLock { $0.uncommittedBytes -= commit.bytes }
            file.withLock { file in
                if commit.newFolder != nil { file.isNew = false }
                file.committed = commit.snapshot.representation.spans
            }
        }
        file.withLock { $0.isCommitting = false }
        workEnded.send()
        resource.useEnded()
    }

    /// Turns all uncommitted bytes into holes after a failed sync, and stops storing. The system may have discarded the
    /// writes, including those made during the sync, and a second sync wouldn't report that. Blocks.
    func forgetUnsynced(after error: CacheError) {
        writing.withLock { _ in
            let committed = file.withLock { $0.committed }
            state.withLock { state in
                for span in state.written.spans.flatMap({ committed.holes(in: $0) }) { state.forget(span) }
                state.uncommittedBytes = 0
                state.storingFailure = error
            }
        }
    }

    /// Excludes the representation from all later commits, because it's being deleted. Unless it's being read, also
    /// closes its file, because a deleted file occupies disk space until it's closed.
    func abandon(isRead: Bool = false) {
        file.withLock { file in
            file.isAbandoned = true
            if !isRead { file.file = nil }
        }
    }

    /// Deletes a blob that was never committed if the disk is full, because the catalog needs the space. Active readers
    /// continue. The resource is removed when the last of them leaves. Has no effect if the resource is pinned.
    func deleteBlobIfDiskIsFull() async {
        let (engine, blob) = (engine, blob)
        guard !resource.stored.isPinned, await engine.pool.perform({ (try? engine.isDiskFull) == true }) else { return }
        abandon(isRead: true)
        resource.state.withLock { $0.awaitsRemoval = true }
        do {
            try await engine.pool.run { try engine.unlink(blobs: [blob]) }
        } catch {
            engine.logger.error("blob not deleted", metadata: ["error": "\(error)"])
        }
        resource.useEnded()
    }
}

/// One representation's contribution to a commit.
package struct PendingCommit: Sendable {
    package var representation: Representation
    /// The catalog records to write.
    package var snapshot: CommitSnapshot
    /// The file to sync; nil if no bytes were written.
    package var file: (any BlobFile)?
    /// The folder of a new blob, whose entries must be synced; nil if the blob isn't new, or no bytes were written.
    package var newFolder: String?
    /// The number of bytes to commit.
    package var bytes: Int64
}
