extension CacheStore {
    /// Returns all cached resources, most recently used first.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/closed``, ``CacheError/Code/storage``,
    ///   ``CacheError/Code/damaged`` or ``CacheError/Code/cancelled``.
    public func resources() async throws -> [ResourceInfo] {
        try checkOpen()
        let rows = try await engine.catalog.resources()
        let open = table.all.compactMap { resource in resource.listed.map { (resource, $0) } }
        let live = Dictionary(open.map { ($0.0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let known = Set(rows.map(\.resource.id))
        let infos = rows.map { row in
            live[row.resource.id].map { info(of: $0.0.stored, representation: $0.1) }
                ?? info(of: row.resource, head: row.representation.head, spans: row.representation.spans)
        }
        let new = open.filter { !known.contains($0.0.id) }.map { info(of: $0.0.stored, representation: $0.1) }
        return (infos + new).sorted { ($0.lastUsed, $0.id) > ($1.lastUsed, $1.id) }
    }

    /// Returns information about a cached resource; nil if it isn't cached.
    ///
    /// A URL with a user name, with or without a password, identifies that user's resource, as does a URL whose header
    /// profile has an identity. Any other URL identifies the resource cached without credentials or, if there is none,
    /// the most recently used one of any user.
    ///
    /// - Throws: The same errors as ``resources()``.
    public func resource(for url: ResourceURL) async throws -> ResourceInfo? {
        let key = key(for: url)
        if let info = try await resource(key: key) { return info }
        guard CacheKey(key).identity == nil else { return nil }
        var last: ResourceInfo?
        for key in try await keys(withPrefix: CacheKey.prefixOfIdentified(key)) {
            guard let info = try await resource(key: key) else { continue }
            if last.map({ ($0.lastUsed, $0.id) < (info.lastUsed, info.id) }) ?? true { last = info }
        }
        return last
    }

    /// Returns the keys of open and cached resources that begin with `prefix`.
    func keys(withPrefix prefix: String) async throws -> Set<String> {
        let stored = try await engine.catalog.keys(withPrefix: prefix)
        return Set(stored).union(table.all.map(\.key).filter { $0.utf8.starts(with: prefix.utf8) })
    }

    /// Returns information about the resource that a request reads; nil if it isn't cached.
    package func resource(of request: ReadRequest) async throws -> ResourceInfo? {
        try await resource(key: key(of: request))
    }

    /// Returns information about the resource with a catalog number; nil if there is none.
    ///
    /// - Throws: The same errors as ``resources()``.
    public func resource(id: Int64) async throws -> ResourceInfo? {
        guard let key = try await key(of: id) else { return nil }
        return try await resource(key: key)
    }

    func key(of id: Int64) async throws -> String? {
        try checkOpen()
        if let resource = table.all.first(where: { $0.id == id }) { return resource.key }
        return try await engine.catalog.key(ofResource: id)
    }

    /// Returns information about the resource with a cache key; nil if it isn't cached.
    package func resource(key: String) async throws -> ResourceInfo? {
        try checkOpen()
        if let resource = table[key], let representation = resource.listed {
            return info(of: resource.stored, representation: representation)
        }
        guard let entry = try await engine.catalog.resource(key: key), let listed = entry.versions.listed else {
            return nil
        }
        return info(of: entry.resource, head: listed.head, spans: listed.spans)
    }

    func info(of stored: StoredResource, representation: Representation) -> ResourceInfo {
        let (head, spans, fills) = representation.withState { ($0.head, $0.written, $0.rangesBeingFilled) }
        var info = info(of: stored, head: head, spans: spans)
        info.isInUse = representation.isInUse
        info.fills = fills
        return info
    }

    /// Returns information about a resource as if it weren't in use.
    private func info(of stored: StoredResource, head: ResourceHead, spans: SpanMap) -> ResourceInfo {
        ResourceInfo(
            id: stored.id, key: stored.key, url: stored.url, contentType: head.contentType, length: head.length,
            spans: Array(spans.spans), bytesCached: spans.byteCount, hits: stored.hits, created: stored.created,
            lastUsed: stored.lastUsed, isComplete: head.length == spans.byteCount, isPinned: stored.isPinned,
            isInUse: false, validator: head.validator)
    }

    /// Commits received bytes, and returns the size of the cache.
    ///
    /// - Throws: The same errors as ``resources()``.
    public func usage() async throws -> Usage {
        try checkOpen()
        await engine.committer.commit()
        let totals = try await engine.catalog.byteTotals()
        return Usage(
            resources: totals.resources, complete: totals.complete, bytes: totals.all, pinnedBytes: totals.pinned,
            maximumBytes: engine.limits.maximumBytes, freeDiskBytes: (try? await freeBytes()) ?? 0)
    }

    /// Returns a complete resource as a file, valid as long as the returned object exists; nil if the resource is
    /// missing or partial. The URL is interpreted as in ``resource(for:)``.
    ///
    /// The resource's checksums are verified first. If they reveal damage, the resource is partial. The file has the
    /// extension of its media type or, if the type is unknown, that of the URL. The extension is `bin` if neither is
    /// known, if it would be `json`, or if no link can be created, because the cache folder isn't writable or its file
    /// system has no hard links.
    ///
    /// - Throws: The same errors as ``resources()``.
    public func localFile(for url: ResourceURL) async throws -> LocalFile? {
        guard let info = try await resource(for: url) else { return nil }
        return try await localFile(id: info.id)
    }

    /// Returns a complete resource by its catalog number as a file, as ``localFile(for:)`` does.
    ///
    /// - Throws: The same errors as ``resources()``.
    public func localFile(id: Int64) async throws -> LocalFile? {
        guard let key = try await key(of: id) else { return nil }
        await engine.committer.commit()
        let opened = try await CacheError.wrapping("\(CacheKey(key).name) can't be opened") { () -> Resource? in
            guard let entry = try await engine.catalog.resource(key: key) else { return nil }
            return try await self.opened(entry.resource)
        }
        guard let resource = opened, let representation = resource.listed, representation.isComplete else { return nil }
        let held = resource.hold()
        let release: @Sendable () -> Void = { for representation in held { representation.release() } }
        guard !held.isEmpty else { return nil }
        var file: LocalFile?
        defer { if file == nil { release() } }
        let own = resource.locator.url.pathExtension
        let known = MediaType.knownExtension(for: representation.head.contentType, pathExtension: own)
        let fileExtension = known ?? (own.isEmpty ? "bin" : own)
        let path = try await CacheError.wrapping("\(resource.locator.url) can't be provided as a file") {
            try await engine.pool.run { () -> String? in
                // Verified now, because readers of the file don't verify checksums.
                for span in representation.spans.spans { representation.compare(span) }
                return try representation.isComplete ? representation.linkBlob(extension: fileExtension) : nil
            }
        }
        file = path.map { LocalFile(path: $0, release: release) }
        return file
    }
}

/// A complete resource as a file in the cache, which may be read, linked or copied, but never written.
public final class LocalFile: Sendable {
    /// The path of the file.
    public let path: String
    private let release: @Sendable () -> Void

    init(path: String, release: @escaping @Sendable () -> Void) {
        self.path = path
        self.release = release
    }

    deinit { release() }
}
