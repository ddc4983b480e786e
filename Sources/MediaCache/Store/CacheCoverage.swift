/// The cached and missing bytes of a request's range.
package struct CacheCoverage: Sendable, Hashable {
    /// The length of the resource in bytes; nil if unknown.
    package var length: Int64?
    /// The number of requested bytes that are cached.
    package var bytesCached: Int64
    /// The missing ranges of the requested bytes. If the length is unknown, an open-ended range ends at `Int64.max`.
    package var missing: [Range<Int64>]
    /// Whether the bytes belong to the pinned version of the resource.
    package var isPinned: Bool
    /// Whether any version of the resource is pinned.
    package var isResourcePinned: Bool

    /// The kind of address from which the bytes were received; if that is unknown, the kind of the URL's host.
    package var addressKind: AddressKind
    /// The version's entity tag as sent to clients.
    package var entityTag: String

    /// Whether all requested bytes are cached. True for a range outside the resource.
    package var isWhole: Bool { missing.isEmpty }

    init(of part: RequestedPart, head: ResourceHead, spans: SpanMap, isPinned: Bool, isResourcePinned: Bool) {
        let (range, length) = (part.range, head.length)
        self.length = length
        addressKind = head.addressKind(at: part.url)
        entityTag = head.entityTag
        self.isPinned = isPinned
        self.isResourcePinned = isResourcePinned
        // A range outside of the resource is empty, so that nothing is fetched for it.
        let requested = length.map { range.resolved(in: $0) ?? $0..<$0 } ?? range.unresolved ?? 0..<Int64.max
        missing = spans.holes(in: requested)
        bytesCached = spans.bytes(in: requested)
    }

    typealias RequestedPart = (key: String, range: RequestedRange, url: ResourceURL)
}

extension CacheStore {
    /// Returns the coverage of each request, in order; nil for resources that aren't cached. Uncommitted bytes count as
    /// cached. Opens no resources.
    package func coverage(of requests: some Sequence<ReadRequest>) async throws -> [CacheCoverage?] {
        try checkOpen()
        let parts = requests.map { (key: key(of: $0), range: $0.range, url: $0.url) }
        var coverages: [CacheCoverage?] = []
        for batch in parts.batches(of: Self.batchSize) { coverages += try await coverage(of: batch) }
        return coverages
    }

    private static let batchSize = 4096

    private func coverage(of batch: ArraySlice<CacheCoverage.RequestedPart>) async throws -> [CacheCoverage?] {
        // Open resources are examined before the catalog, because those closed in between have been committed.
        let open = batch.map { part -> CacheCoverage? in
            guard let resource = table[part.key] else { return nil }
            let (current, pinned) = resource.state.withLock { ($0.current, $0.pinnedVersion) }
            return Self.best(
                of: [current, pinned].compactMap(\.self).map { version in
                    let (head, spans) = version.withState { ($0.head, $0.written) }
                    return CacheCoverage(
                        of: part, head: head, spans: spans, isPinned: version === pinned,
                        isResourcePinned: pinned != nil)
                })
        }
        let closed = zip(batch, open).filter { $0.1 == nil }.map(\.0.key)
        let stored = try await engine.catalog.versions(keys: closed)
        return zip(batch, open).map { part, coverage in
            if let coverage { return coverage }
            return stored[part.key].flatMap { versions in
                Self.best(
                    of: [versions.current, versions.pinned].compactMap(\.self).map {
                        CacheCoverage(
                            of: part, head: $0.head, spans: $0.spans,
                            isPinned: $0.id == versions.pinned?.id, isResourcePinned: versions.isPinned)
                    })
            }
        }
    }

    /// Returns the coverage of the pinned version if it has all requested bytes. Otherwise, returns that of the current
    /// version or, without one, of the pinned version.
    private static func best(of coverages: [CacheCoverage]) -> CacheCoverage? {
        coverages.last(where: { $0.isWhole && $0.isPinned }) ?? coverages.first
    }
}
