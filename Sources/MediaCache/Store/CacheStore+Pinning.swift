import Synchronization

extension CacheStore {
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
            return state.representations.map(RepresentationHold.init)
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
