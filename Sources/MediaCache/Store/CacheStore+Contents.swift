extension CacheStore {
    /// All that is kept, most recently used first.
    public func resources() async throws -> [ResourceInfo] {
        try checkOpen()
        let rows = try await engine.catalog.resources()
        let open = table.all.compactMap { resource in resource.current.map { (resource, $0) } }
        let live = Dictionary(open.map { ($0.0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Set(rows.map(\.resource.id))
        let infos = rows.map { row in
            live[row.resource.id].map { info(of: $0.0.stored, representation: $0.1) }
                ?? info(of: row.resource, representation: row.representation)
        }
        let new = open.filter { !known.contains($0.0.id) }.map { info(of: $0.0.stored, representation: $0.1) }
        return (infos + new).sorted { ($0.lastUsed, $0.id) > ($1.lastUsed, $1.id) }
    }

    /// What is kept of a URL, or nil.
    public func resource(for url: ResourceURL) async throws -> ResourceInfo? {
        try await resource(key: key(for: url))
    }

    /// The resource with this number, or nil.
    public func resource(id: Int64) async throws -> ResourceInfo? {
        guard let key = try await key(of: id) else { return nil }
        return try await resource(key: key)
    }

    func key(of id: Int64) async throws -> String? {
        try checkOpen()
        if let resource = table.all.first(where: { $0.id == id }) { return resource.key }
        return try await engine.catalog.key(ofResource: id)
    }

    private func resource(key: String) async throws -> ResourceInfo? {
        try checkOpen()
        if let resource = table[key], let representation = resource.current {
            return info(of: resource.stored, representation: representation)
        }
        guard let entry = try await engine.catalog.resource(key: key),
            let newest = entry.representations.last(where: { !$0.isSuperseded })
        else { return nil }
        return info(of: entry.resource, representation: newest)
    }

    func info(of stored: StoredResource, representation: Representation) -> ResourceInfo {
        let (head, spans, isComplete) = representation.withState { ($0.head, $0.written, $0.isComplete) }
        return info(
            of: stored, head: head, spans: spans, isComplete: isComplete, isInUse: representation.isInUse)
    }

    private func info(of stored: StoredResource, representation: StoredRepresentation) -> ResourceInfo {
        info(
            of: stored, head: representation.head, spans: representation.spans,
            isComplete: representation.spans.byteCount == representation.head.length, isInUse: false)
    }

    private func info(
        of stored: StoredResource, head: ResourceHead, spans: SpanMap, isComplete: Bool, isInUse: Bool
    ) -> ResourceInfo {
        ResourceInfo(
            id: stored.id, key: stored.key, url: stored.url, contentType: head.contentType, length: head.length,
            spans: Array(spans.spans), bytesKept: spans.byteCount, hits: stored.hits, created: stored.created,
            lastUsed: stored.lastUsed, isComplete: isComplete, isPinned: stored.isPinned, isInUse: isInUse,
            validator: head.validator)
    }

    /// How much is kept.
    public func usage() async throws -> Usage {
        try checkOpen()
        await engine.committer.commit()
        let engine = engine
        let totals = try await engine.catalog.byteTotals()
        let free = try? await engine.pool.run { try engine.freeBytes }
        return Usage(
            resources: totals.resources, complete: totals.complete, bytes: totals.all, pinnedBytes: totals.pinned,
            maximumBytes: engine.configuration.limits.maximumBytes, freeDiskBytes: free ?? 0)
    }

    /// A complete resource as a file with the right extension, valid while the handle lives; nil while partial.
    public func localFile(for url: ResourceURL) async throws -> LocalFile? {
        try checkOpen()
        let key = key(for: url)
        await engine.committer.commit()
        guard let entry = try await engine.catalog.resource(key: key), let resource = try await opened(entry.resource),
            let representation = resource.current, representation.isComplete
        else { return nil }
        let holds = resource.hold()
        let release: @Sendable () -> Void = { for hold in holds { hold.release() } }
        guard !holds.isEmpty else { return nil }
        do {
            let fileExtension = MediaType.preferredExtension(
                for: representation.head.contentType, pathExtension: url.pathExtension)
            let path = try await engine.pool.run { () -> String? in
                // Nobody checks these bytes after us.
                for span in representation.spans.spans { representation.compare(span) }
                guard representation.isComplete else { return nil }
                return try representation.linkOut(extension: fileExtension)
            }
            if let path { return LocalFile(path: path, release: release) }
            release()
            return nil
        } catch {
            release()
            throw CacheError.wrap(error, as: .storage, "\(url) can't be given out as a file")
        }
    }
}

/// A complete resource as a file of the cache: to be read, linked or copied, never written.
public final class LocalFile: Sendable {
    /// Where it lies.
    public let path: String
    private let release: @Sendable () -> Void

    init(path: String, release: @escaping @Sendable () -> Void) {
        self.path = path
        self.release = release
    }

    deinit { release() }
}
