import Foundation

extension Representation {
    /// Opens a representation from its catalog record. Spans beyond the end of its blob are lost. Blocks.
    static func restore(_ stored: StoredRepresentation, of resource: Resource, engine: Engine) throws -> Representation
    {
        var state = RepresentationState(stored, pages: try engine.catalog.checksumPages(of: stored.id))
        // If the folder isn't writable, readers receive the bytes of holes without an attempt to store them.
        state.refusal = engine.folderFailure?.writing
        // A power failure may have interrupted a move after the blob was renamed, but before that was committed.
        var isDurable = stored.isDurable
        var size = Self.size(of: stored.blob, isDurable: isDurable, engine: engine)
        if size == nil, let moved = Self.size(of: stored.blob, isDurable: !isDurable, engine: engine) {
            size = moved
            isDurable.toggle()
            state.needsCommit = true
        }
        if stored.spans.upperBound > size ?? 0 {
            for span in stored.spans.spans(in: (size ?? 0)..<stored.spans.upperBound) { state.lose(span) }
            // The loss can exceed the missing bytes, because a checksum covers a whole run.
            state.lostAtOpening = SpanMap(stored.spans.spans.flatMap { state.written.holes(in: $0) })
            for span in state.lostAtOpening.spans { engine.events.send(.damaged(key: resource.key, range: span)) }
        }
        return Representation(
            id: stored.id, resource: resource, blob: stored.blob, isDurable: isDurable, isNew: size == nil,
            state: state, engine: engine)
    }

    private static func size(of blob: String, isDurable: Bool, engine: Engine) -> Int64? {
        try? engine.files.open(engine.blobs.path(of: blob, isDurable: isDurable), creating: false).size()
    }

    /// Returns the blob. Opens it at first use, which may create it.
    func source() throws -> any BlobFile {
        try file.withLock { state in
            if let file = state.file { return file }
            let path = engine.blobs.path(of: blob, isDurable: state.isDurable)
            if state.isNew { try engine.files.makeFolder(engine.blobs.folder(of: blob, isDurable: state.isDurable)) }
            let file: any BlobFile
            do {
                file = try engine.files.open(path, creating: state.isNew)
            } catch let error as SystemError where error.number == ENOENT && !state.isNew {
                // A blob that is being moved has its new name shortly before `isDurable` changes.
                let other = engine.blobs.path(of: blob, isDurable: !state.isDurable)
                guard let moved = try? engine.files.open(other, creating: false) else { throw error }
                file = moved
            }
            state.file = file
            return file
        }
    }

    /// Writes the parts of `bytes` that fill `holes`, and records them as written. The fill continues at the end of
    /// `range`. Blocks.
    ///
    /// The ``writing`` lock is held during both steps. Otherwise, a copy of the blob made between them would lack the
    /// bytes, and ``forgetUnsynced(after:)`` wouldn't discard them.
    ///
    /// - Parameters:
    ///   - range: The position of the bytes.
    ///   - fill: The fill that received the bytes; 0 for none.
    ///   - willNote: Called between the two steps, for tests.
    /// - Returns: The wake functions of readers that wait for these bytes.
    func write(
        _ bytes: UnsafeRawBufferPointer, at range: Range<Int64>, into holes: [Range<Int64>],
        by fill: RepresentationState.FillID = 0, willNote: () -> Void = {}
    ) throws -> [@Sendable () -> Void] {
        let woken = try writing.withLock { _ in try writeLocked(bytes, at: range, into: holes, by: fill, willNote) }
        engine.committer.markDirty(self, bytes: Int64(range.count))
        return woken
    }

    /// Writes like ``write(_:at:into:by:willNote:)``. Returns nil without waiting if the blob is being copied, may have
    /// to be copied first, or is otherwise locked.
    func writeAtOnce(
        _ bytes: UnsafeRawBufferPointer, at range: Range<Int64>, into holes: [Range<Int64>],
        by fill: RepresentationState.FillID
    ) throws -> [@Sendable () -> Void]? {
        let attempt = try writing.withLockIfAvailable { _ -> [@Sendable () -> Void]? in
            guard !file.withLock({ $0.mayBeLinked }) else { return nil }
            return try writeLocked(bytes, at: range, into: holes, by: fill)
        }
        guard case .some(.some(let woken)) = attempt else { return nil }
        engine.committer.markDirty(self, bytes: Int64(range.count))
        return woken
    }

    /// Writes and records bytes. The caller holds ``writing``.
    private func writeLocked(
        _ bytes: UnsafeRawBufferPointer, at range: Range<Int64>, into holes: [Range<Int64>],
        by fill: RepresentationState.FillID, _ willNote: () -> Void = {}
    ) throws -> [@Sendable () -> Void] {
        let parts = holes.map { hole in
            let lower = Int(hole.lowerBound - range.lowerBound)
            return (hole.lowerBound, UnsafeRawBufferPointer(rebasing: bytes[lower..<lower + hole.count]))
        }
        let records = parts.flatMap { BlockChecksums.records(of: $1, at: $0) }
        try withWritable { file in
            for (offset, part) in parts { try file.write(part, at: offset) }
        }
        willNote()
        return state.withLock { $0.didWrite(range, records: records, by: fill) }
    }

    /// Calls `body` with the blob opened for writing. The caller holds ``writing``.
    private func withWritable(_ body: (any BlobFile) throws -> Void) throws {
        try replaceIfLinked()
        do {
            try body(try source())
        } catch let error as SystemError where error.number == ENOENT && !file.withLock({ $0.isNew }) {
            // The system has purged the blob. Create a new one.
            file.withLock { $0.isNew = true }
            try body(try source())
        } catch let error as SystemError where error.number == EROFS {
            // The file was opened while the file system was read-only. Reopen it.
            file.withLock { $0.file = nil }
            try body(try source())
        }
    }

    // MARK: - External links

    /// Returns the path of a hard link to the blob, with the given extension and in the blob's folder. Creates the link
    /// if necessary. Returns the blob's own path if the link can't be created, because the folder isn't writable or its
    /// file system has no hard links, or if it would have the sidecar's name. Blocks.
    ///
    /// Because of the link, and of others that users may create from it, the blob is copied before it's modified again.
    func linkBlob(extension fileExtension: String) throws -> String {
        try writing.withLock { _ in
            let path = path
            file.withLock { $0.mayBeLinked = true }
            // Some file systems ignore case.
            guard fileExtension.lowercased() != BlobFolder.sidecarExtension else { return path }
            let link = path.dropLast(".bin".count) + ".\(fileExtension)"
            if engine.files.exists(String(link)) { return String(link) }
            guard engine.blobs.isWritable else { return path }
            // The blob of an empty resource doesn't exist until it's opened.
            if !engine.files.exists(path) { _ = try source() }
            do {
                try engine.files.link(path, to: String(link))
            } catch let error as SystemError where error.isUnsupported || error.number == EPERM {
                // Linux reports EPERM for FAT.
                return path
            }
            return String(link)
        }
    }

    /// Replaces a blob that has other hard links with a copy before it's modified, because a link may be a user's file.
    private func replaceIfLinked() throws {
        guard file.withLock({ $0.mayBeLinked }) else { return }
        let path = path
        if engine.files.exists(path), try engine.files.linkCount(of: path) > 1 {
            let copy = try copyBlob(beside: path)
            try engine.files.rename(copy.path, to: path)
            // The other links in the folder refer to the previous file.
            let folder = engine.blobs.folder(of: blob, isDurable: isDurable)
            for name in try engine.files.names(in: folder) where BlobFolder.isAlias(name, of: blob) {
                try engine.files.remove("\(folder)/\(name)")
            }
            try engine.files.syncFolder(folder)
            file.withLock { $0.file = copy.file }
        }
        file.withLock { $0.mayBeLinked = false }
    }

    // MARK: - Moving

    /// Moves the blob into the pinned folder or back. Returns both folders, which must be synced to make the move
    /// durable; nil if the blob is already there or doesn't exist. Blocks.
    fileprivate func rename(isDurable: Bool) throws -> (from: String, to: String)? {
        try writing.withLock { _ in
            let wasDurable = self.isDurable
            guard wasDurable != isDurable else { return nil }
            let folders = (
                from: engine.blobs.folder(of: blob, isDurable: wasDurable),
                to: engine.blobs.folder(of: blob, isDurable: isDurable)
            )
            let source = engine.blobs.path(of: blob, isDurable: wasDurable)
            let destination = engine.blobs.path(of: blob, isDurable: isDurable)
            let isThere = engine.files.exists(source)
            if isThere {
                try engine.files.makeFolder(folders.to)
                do {
                    try engine.files.rename(source, to: destination)
                } catch let error as SystemError where error.number == EXDEV {
                    try copyAcross(from: source, to: destination, isDurable: isDurable)
                }
            }
            file.withLock { $0.isDurable = isDurable }
            return isThere ? folders : nil
        }
    }

    private func copyAcross(from source: String, to destination: String, isDurable: Bool) throws {
        let copy = try copyBlob(beside: destination)
        try engine.files.rename(copy.path, to: destination)
        try engine.files.syncFolder(POSIXFileSystem.parent(of: destination))
        // Set together, because a commit syncs the file and records its folder. Otherwise, it could sync the copy and
        // record the source, which may exist again after a power failure, without the bytes of that commit.
        file.withLock { ($0.file, $0.isDurable) = (copy.file, isDurable) }
        try engine.files.remove(source)
    }

    /// Returns a synced copy of the blob with a temporary name in the folder of `path`. Only cached spans are copied.
    private func copyBlob(beside path: String) throws -> (path: String, file: any BlobFile) {
        let temporary = "\(path).\(engine.token)\(BlobFolder.copySuffix)"
        do {
            let old = try source()
            let new = try engine.files.open(temporary, creating: true)
            for span in spans.spans { try copy(span, from: old, to: new) }
            try new.sync()
            return (temporary, new)
        } catch {
            try? engine.files.remove(temporary)
            throw error
        }
    }

    /// Copies a span. Bytes that can't be read become a hole.
    private func copy(_ span: Range<Int64>, from old: any BlobFile, to new: any BlobFile) throws {
        let piece = 1 << 20
        try withUnsafeTemporaryAllocation(byteCount: piece, alignment: 4096) { buffer in
            for lower in stride(from: span.lowerBound, to: span.upperBound, by: piece) {
                let upper = min(lower + Int64(piece), span.upperBound)
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(upper - lower)])
                do {
                    try old.read(into: part, at: lower)
                } catch {
                    readFailed(lower..<upper, error: error)
                    continue
                }
                try new.write(UnsafeRawBufferPointer(part), at: lower)
            }
        }
    }
}

extension Engine {
    /// Deletes blobs and their hard links in the cache. Their sidecars must already be deleted. Blocks.
    func unlink(blobs names: [String]) throws {
        for isDurable in [false, true] {
            // List each folder only once.
            let folders = Dictionary(grouping: names) { blobs.folder(of: $0, isDurable: isDurable) }
            for (folder, names) in folders {
                let going = Set(names)
                for file in try files.names(in: folder) where going.contains(BlobFolder.blob(of: file)) {
                    try files.remove("\(folder)/\(file)")
                }
            }
        }
    }

    /// Deletes sidecars durably. Must precede the deletion from the catalog, because recovery restores missing catalog
    /// records from sidecars. Blocks.
    func removeSidecars(of names: [String]) throws {
        try syncFolders(Set(names.compactMap { try dropSidecar(of: $0) }))
    }

    /// Deletes a blob's sidecar, and returns the folder to be synced; nil if there was no sidecar. Blocks.
    func dropSidecar(of blob: String) throws -> String? {
        let path = blobs.sidecarPath(of: blob)
        guard files.exists(path) else { return nil }
        try files.remove(path)
        return blobs.folder(of: blob, isDurable: true)
    }

    /// Moves blobs between the evictable and the pinned folder, by renaming or, across file systems, by copying.
    /// Blocks.
    func move(_ representations: [Representation], isDurable: Bool) throws {
        defer { for representation in representations { representation.withState { $0.needsCommit = true } } }
        var moved: [(from: String, to: String)] = []
        let result = Result<Void, any Error> {
            for representation in representations {
                if let folders = try representation.rename(isDurable: isDurable) { moved.append(folders) }
            }
        }
        // The folders are synced even if one of the blobs can't be moved, because a second attempt skips those that
        // were. The new names must be durable before the removal of the old ones.
        try syncFolders(Set(moved.map(\.to)))
        try syncFolders(Set(moved.map(\.from)))
        try result.get()
    }

    /// Makes changes to the entries of folders durable. Blocks.
    func syncFolders(_ folders: Set<String>) throws {
        try files.sync([], folders: folders).check()
    }
}
