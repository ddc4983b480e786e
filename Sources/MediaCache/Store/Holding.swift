import Synchronization

/// What is here of what a request names.
package struct Holding: Sendable, Hashable {
    /// How many bytes the resource has; nil if that isn't known.
    package var length: Int64?
    /// How many of the bytes asked for are here.
    package var bytesKept: Int64
    /// Those that aren't. The upper bound is `Int64.max` where the length isn't known.
    package var missing: [Range<Int64>]
    /// Whether these bytes are of the version that the resource's pin names.
    package var isPinned: Bool
    /// Whether the resource is pinned, by this version or another one.
    package var isResourcePinned: Bool

    /// The kind of address that the bytes came from.
    package var addressKind: AddressKind

    /// Whether every byte asked for is here.
    package var isWhole: Bool { missing.isEmpty }

    init(of asked: Asked, head: ResourceHead, spans: SpanMap, isPinned: Bool, isResourcePinned: Bool) {
        let (range, length) = (asked.range, head.length)
        self.length = length
        addressKind = head.addressKind(at: asked.url)
        self.isPinned = isPinned
        self.isResourcePinned = isResourcePinned
        let wanted: Range<Int64>
        if let length {
            // A range outside is of nothing, and nothing can be fetched for it.
            wanted = range.resolved(in: length) ?? length..<length
        } else if case .closed(let first, let last) = range {
            wanted = first..<max(first, last.clampedSum(1))
        } else {
            wanted = (range.knownStart ?? 0)..<Int64.max
        }
        missing = spans.holes(in: wanted)
        bytesKept = spans.bytes(in: wanted)
    }

    /// A part of a resource, as a request names it.
    struct Asked {
        var key: String
        var range: RequestedRange
        var url: ResourceURL
    }
}

extension CacheStore {
    /// What is here of each of many resources, in the order of `requests`; nil where nothing is known of one. What is
    /// written counts, committed or not.
    ///
    /// A few queries for all of them; none is opened.
    package func holdings(of requests: some Sequence<ReadRequest>) async throws -> [Holding?] {
        try checkOpen()
        var holdings: [Holding?] = []
        var batch: [Holding.Asked] = []
        for request in requests {
            batch.append(Holding.Asked(key: key(of: request), range: request.range, url: request.url))
            guard batch.count == Self.batchSize else { continue }
            holdings += try await self.holdings(of: batch)
            batch.removeAll(keepingCapacity: true)
        }
        if !batch.isEmpty { holdings += try await self.holdings(of: batch) }
        return holdings
    }

    private static let batchSize = 4096

    private func holdings(of batch: [Holding.Asked]) async throws -> [Holding?] {
        // In this order: what is closed in between has been committed.
        let open = batch.map { asked -> Holding? in
            guard let resource = table[asked.key] else { return nil }
            let (current, pinned) = resource.state.withLock { ($0.current, $0.pinnedVersion) }
            return Self.best(
                of: [current, pinned].compactMap(\.self).map { version in
                    let (head, spans) = version.withState { ($0.head, $0.written) }
                    return Holding(
                        of: asked, head: head, spans: spans, isPinned: version === pinned,
                        isResourcePinned: pinned != nil)
                })
        }
        let closed = zip(batch, open).filter { $0.1 == nil }.map(\.0.key)
        let stored = try await engine.catalog.versions(keys: closed)
        return zip(batch, open).map { asked, holding in
            if let holding { return holding }
            return stored[asked.key].flatMap { versions in
                Self.best(
                    of: [versions.current, versions.pinned].compactMap(\.self).map {
                        Holding(
                            of: asked, head: $0.head, spans: $0.spans,
                            isPinned: $0.id == versions.pinned?.id, isResourcePinned: versions.isPinned)
                    })
            }
        }
    }

    /// The holding of the pinned version if it's whole, otherwise that of the current one.
    private static func best(of holdings: [Holding]) -> Holding? {
        holdings.last(where: { $0.isWhole && $0.isPinned }) ?? holdings.first
    }
}

extension ReadRequest {
    /// Whether the access rule has to decide before cached bytes are read: they came from a local address, and the
    /// request may be sent to public ones alone.
    package func needsAccessCheck(for holding: Holding?) -> Bool {
        settings?.scope == .publicOnly && holding?.addressKind == .local
    }
}
