extension CacheStore {
    /// Adds bytes from a file to the cache, for example those received by a background URL session.
    ///
    /// The file must contain the bytes as sent by the origin; the kind's ``ContentTransform`` is applied to them. The
    /// file is read, not moved. Bytes that are already cached stay unchanged. Returns when the bytes are committed.
    ///
    /// - Parameters:
    ///   - file: The path of a file that contains the bytes of `range`, from its start.
    ///   - range: The byte range within the resource.
    ///   - url: The URL of the resource.
    ///   - head: The head of the response that contained the bytes.
    ///   - kind: The resource kind, which selects transforms.
    /// - Throws: ``CacheError`` with ``CacheError/Code/representationChanged`` if another version is cached,
    ///   ``CacheError/Code/rangeNotSatisfiable`` if the range is outside the resource,
    ///   ``CacheError/Code/badResponse`` if the file's length differs from the range's,
    ///   ``CacheError/Code/invalidSetting`` if the kind has a whole-body transform, ``CacheError/Code/storage`` or
    ///   ``CacheError/Code/closed``.
    @discardableResult
    public func ingest(
        file: String, range: Range<Int64>, for url: ResourceURL, head: ResourceHead, kind: ResourceKind = .file
    ) async throws -> ResourceInfo {
        try await ingest(file: file, range: range, for: url, head: head, freshness: Freshness(), kind: kind)
    }

    func ingest(
        file: String, range: Range<Int64>, for url: ResourceURL, head: ResourceHead, freshness: Freshness,
        kind: ResourceKind, isProven: Bool = false
    ) async throws -> ResourceInfo {
        try checkOpen()
        guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= head.length ?? .max else {
            throw CacheError(
                .rangeNotSatisfiable, "the range \(range) is outside \(url)", completeLength: head.length)
        }
        guard engine.blobs.isWritable else {
            throw CacheError(.storage, "\(url) can't be stored: the cache folder isn't writable")
        }
        return try await CacheError.wrapping("\(file) can't be added to the cache as \(url)") {
            while true {
                let resource = try await resource(key: key(for: url), url: url)
                guard
                    let (representation, session) = try resource.representationToIngest(
                        head, freshness, kind, isProven: isProven)
                else { continue }
                defer { representation.detach(session.id, at: range.lowerBound, window: session.window) }
                try await engine.space.reserve(Int64(range.count)) {
                    try await engine.pool.run { try representation.ingest(file: file, range: range) }
                }
                if let failure = await engine.committer.commit() { throw failure }
                return info(of: resource.stored, representation: representation)
            }
        }
    }
}

extension Engine {
    /// Returns the transform to apply to parts of a resource; nil if the kind has none.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidSetting`` if the kind has a whole-body transform.
    func partwiseTransform(for kind: ResourceKind) throws -> AppliedTransform? {
        let transform = transform(for: kind)?.applied
        guard transform?.isWhole != true else {
            throw CacheError(
                .invalidSetting,
                "parts of a \(kind) can't be added to the cache, because this kind has a whole-body transform")
        }
        return transform
    }
}

extension Resource {
    /// Returns the representation to which bytes with this head belong, and a session attached to it; nil if this
    /// object has been retired.
    ///
    /// - Parameter isProven: Whether the validators must prove that the bytes belong to the cached version. If false,
    ///   it's enough that the validators don't contradict each other.
    fileprivate func representationToIngest(
        _ head: ResourceHead, _ freshness: Freshness, _ kind: ResourceKind, isProven: Bool
    ) throws -> (Representation, session: (id: Int, window: Int64))? {
        let transform = try engine.partwiseTransform(for: kind)
        var own = head
        if transform != nil { own.entityTag = "\"mc-\(BlobFolder.newName())\"" }
        let fresh = newRepresentation(RepresentationState(head: own, freshness: freshness, transform: transform))
        let representation = state.withLock { state -> Representation? in
            guard !state.isRetired else { return nil }
            choose(madeBy: transform, in: &state)
            if let current = state.current { return current }
            state.current = fresh
            return fresh
        }
        guard let representation else { return nil }
        let known = representation.head
        let isSame =
            known.validator.agrees(with: head.validator)
            && (!isProven || representation === fresh || known.validator.proves(head.validator))
        guard isSame, known.length == nil || head.length == nil || known.length == head.length else {
            throw CacheError(
                .representationChanged,
                "the bytes to add belong to a version of \(locator.url) other than the cached one")
        }
        if let length = head.length { representation.learn(length) }
        return (representation, representation.attach(at: 0))
    }
}

extension Representation {
    /// Copies the missing bytes of `range` from a file. Blocks.
    fileprivate func ingest(file path: String, range: Range<Int64>) throws {
        let source = try engine.files.open(path, creating: false)
        guard try source.size() == Int64(range.count) else {
            throw CacheError(.badResponse, "\(path) contains \(try source.size()) bytes instead of \(range.count)")
        }
        let transform = engine.pipeline(for: self).transform
        let piece = 1 << 20
        try withUnsafeTemporaryAllocation(byteCount: piece, alignment: 4096) { buffer in
            for lower in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
                let part = lower..<min(lower + Int64(piece), range.upperBound)
                // Holes are determined again after each write, because a fill may write to the same range.
                while let hole = withState({ $0.written.holes(in: part).first }) {
                    let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<hole.count])
                    try source.read(into: bytes, at: hole.lowerBound - range.lowerBound)
                    try transform?.apply(to: bytes, at: hole.lowerBound)
                    for wake in try write(UnsafeRawBufferPointer(bytes), at: hole, into: [hole]) { wake() }
                }
            }
        }
    }
}
