extension Representation {
    /// Whether the blob should have a sidecar.
    private var needsSidecar: Bool {
        engine.blobs.isWritable && resource.stored.isPinned && file.withLock { $0.isDurable && !$0.isAbandoned }
    }

    /// Returns the path and the new content of the sidecar, and the spans that it lists; nil if no sidecar is needed,
    /// or the one on disk is up to date. During a fill of a partial representation, a sidecar written since this object
    /// was created isn't updated.
    func sidecarThatIsDue() throws -> (path: String, bytes: [UInt8], listed: SpanMap)? {
        guard needsSidecar else { return nil }
        let (listed, stored) = (file.withLock { $0.listed }, resource.stored)
        let due = state.withLock { state -> (sidecar: Sidecar, listed: SpanMap)? in
            if let listed, listed == state.written || !(state.fills.isEmpty || state.isComplete) { return nil }
            return (Sidecar(resource: stored, blob: blob, state: &state), state.written)
        }
        return try due.map { (engine.blobs.sidecarPath(of: blob), try $0.sidecar.encoded(), $0.listed) }
    }

    /// Renames a written sidecar to its final name, or deletes it if it's no longer wanted. Blocks.
    func placeSidecar(_ temporary: String, listing spans: SpanMap) throws {
        try writing.withLock { _ in
            guard needsSidecar else { return try engine.files.remove(temporary) }
            try engine.files.rename(temporary, to: engine.blobs.sidecarPath(of: blob))
            file.withLock { $0.listed = spans }
        }
    }

    /// Deletes the sidecar, and returns the folder to be synced; nil if there was no sidecar. Blocks.
    fileprivate func dropSidecar() throws -> String? {
        try writing.withLock { _ in
            let folder = try engine.dropSidecar(of: blob)
            file.withLock { $0.listed = nil }
            return folder
        }
    }
}

extension Engine {
    /// The maximum number of sidecars written in one batch.
    private static let sidecarBatchSize = 64

    /// Deletes the sidecars of representations durably. Blocks.
    func removeSidecars(of representations: [Representation]) throws {
        try syncFolders(Set(representations.compactMap { try $0.dropSidecar() }))
    }

    /// Creates missing and updates outdated sidecars of pinned representations, each atomically. Blocks.
    func writeSidecars(of representations: [Representation]) throws {
        for batch in representations.batches(of: Self.sidecarBatchSize) { try writeSidecarsAtOnce(of: batch) }
    }

    private func writeSidecarsAtOnce(of representations: ArraySlice<Representation>) throws {
        var written: [(representation: Representation, temporary: String, file: any BlobFile, listed: SpanMap)] = []
        do {
            for representation in representations {
                guard let due = try representation.sidecarThatIsDue() else { continue }
                try files.makeFolder(POSIXFileSystem.parent(of: due.path))
                let temporary = "\(due.path).\(BlobFolder.newName()).\(token)\(BlobFolder.copySuffix)"
                let file = try files.open(temporary, creating: true)
                written.append((representation, temporary, file, due.listed))
                try due.bytes.withUnsafeBytes { try file.write($0, at: 0) }
            }
            try files.sync(written.map(\.file), folders: []).check()
            for sidecar in written {
                try sidecar.representation.placeSidecar(sidecar.temporary, listing: sidecar.listed)
            }
            try syncFolders(Set(written.map { POSIXFileSystem.parent(of: $0.temporary) }))
        } catch {
            for sidecar in written { try? files.remove(sidecar.temporary) }
            // The next commit tries again.
            for representation in representations { representation.withState { $0.needsCommit = true } }
            throw error
        }
    }

    /// Writes the sidecar of a representation that isn't open, unless the existing one lists all spans, or the blob
    /// isn't in the pinned folder. Blocks.
    func renewSidecar(of stored: StoredRepresentation, _ resource: StoredResource) throws {
        guard files.exists(blobs.path(of: stored.blob, isDurable: true)) else { return }
        let path = blobs.sidecarPath(of: stored.blob)
        if files.exists(path), let sidecar = try? Sidecar(encoded: files.contents(of: path)),
            sidecar.blob == stored.blob,
            let listed = SpanMap(encoded: sidecar.spans), stored.spans.spans.allSatisfy(listed.contains)
        {
            return
        }
        var state = RepresentationState(stored, pages: try catalog.checksumPages(of: stored.id))
        try files.replace(path, with: Sidecar(resource: resource, blob: stored.blob, state: &state).encoded())
    }

    /// Returns whether the blob of a representation that isn't open is long enough for all of its spans. Blocks.
    func hasBlob(of stored: StoredRepresentation) -> Bool {
        [true, false].contains { isDurable in
            let file = try? files.open(blobs.path(of: stored.blob, isDurable: isDurable), creating: false)
            return (try? file?.size()).map { $0 >= stored.spans.upperBound } ?? false
        }
    }
}
