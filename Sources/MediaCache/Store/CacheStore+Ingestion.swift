import Synchronization

extension CacheStore {
    /// Takes bytes that came another way, as by a background session of the system, into what is kept of a URL.
    ///
    /// The file is read, not moved, and holds what the origin sent: a ``ContentTransform`` for files applies to it. Bytes
    /// that are kept already stay as they are. Returns when they are committed.
    ///
    /// - Parameters:
    ///   - file: the path of a file that holds the bytes of `range`, the first at its start.
    ///   - range: where the bytes lie in the resource.
    ///   - url: what they are of.
    ///   - head: what the response that brought them said.
    ///   - kind: what it is to the content, for transforms.
    /// - Throws: ``CacheError`` with ``CacheError/Code/representationChanged`` if another version is kept,
    ///   ``CacheError/Code/rangeNotSatisfiable`` if the range lies outside, ``CacheError/Code/badResponse`` if the file
    ///   has not as many bytes, ``CacheError/Code/invalidSetting`` if such are transformed as a whole, or
    ///   ``CacheError/Code/storage``.
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
                .rangeNotSatisfiable, "the bytes \(range) lie outside \(url)", completeLength: head.length)
        }
        guard engine.blobs.isWritable else {
            throw CacheError(.storage, "\(url) can't be kept: the cache folder can't be written")
        }
        do {
            while true {
                let resource = try await resource(key: key(for: url), url: url)
                guard
                    let (representation, session) = try resource.representationToIngest(
                        head, freshness, kind, isProven: isProven)
                else {
                    continue
                }
                defer { representation.detach(session.id, at: range.lowerBound, window: session.window) }
                try await engine.room.take(Int64(range.count)) {
                    try await engine.pool.run { try representation.ingest(file: file, range: range) }
                }
                if let failure = await engine.committer.commit() { throw failure }
                return info(of: resource.stored, representation: representation)
            }
        } catch {
            throw CacheError.wrap(error, as: .storage, "\(file) can't be taken into \(url)")
        }
    }
}

extension Engine {
    /// What is done to parts of such content; nil where nothing is.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidSetting`` where it's transformed as a whole.
    func partwiseTransform(for kind: ResourceKind) throws -> AppliedTransform? {
        let transform = transform(for: kind)?.applied
        guard transform?.isWhole != true else {
            throw CacheError(
                .invalidSetting, "what is of this kind is transformed as a whole here; parts can't be taken in")
        }
        return transform
    }
}

extension Resource {
    /// The representation that bytes with this head belong to, attached to; nil if this object has been retired.
    ///
    /// - Parameter isProven: whether what is kept counts as the same version only where the validators say so; else where they
    ///   don't say the contrary.
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
            throw CacheError(.representationChanged, "another version of \(locator.url) is kept than the one brought")
        }
        if let length = head.length { representation.learn(length) }
        return (representation, representation.attach(at: 0))
    }
}

extension Representation {
    /// Copies what is missing of `range` from a file that holds it. Blocks.
    fileprivate func ingest(file path: String, range: Range<Int64>) throws {
        let source = try engine.files.open(path, creating: false)
        guard try source.size() == Int64(range.count) else {
            throw CacheError(.badResponse, "\(path) has \(try source.size()) bytes, not \(range.count)")
        }
        let transform = engine.tap(self).transform
        let piece = 1 << 20
        try withUnsafeTemporaryAllocation(byteCount: piece, alignment: 4096) { buffer in
            for lower in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
                let part = lower..<min(lower + Int64(piece), range.upperBound)
                // Anew after each: a fill may be writing there, and what both wrote counts once.
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
