/// A change to received content before it's stored, such as encryption at rest, a watermark, or a rewritten playlist.
///
/// The transformed bytes are stored, verified, and compared with later responses. The transform's name is part of the
/// representation: content stored with another transform, or none, isn't served, but fetched again. Use a new name when
/// the function changes. If several transforms are configured for a kind, the first one applies.
///
/// A transform must be deterministic: equal bytes at the same offset have equal results. Otherwise, comparisons of
/// later responses with stored bytes fail. It's called on any thread, concurrently for different offsets. The transfer
/// waits for it.
public struct ContentTransform: Sendable {
    enum Function: Sendable {
        case inPlace(@Sendable (UnsafeMutableRawBufferPointer, Int64) throws -> Void)
        case wholeBody(@Sendable ([UInt8]) throws -> [UInt8])
    }

    /// The name, which identifies the transform across openings of the store.
    public let name: String
    /// The resource kinds that it applies to.
    public let kinds: Set<ResourceKind>
    let function: Function

    /// Returns a transform that preserves the length, and whose result depends only on bytes and offset.
    ///
    /// - Parameters:
    ///   - name: The name, which identifies the transform across openings of the store.
    ///   - kinds: The resource kinds that it applies to.
    ///   - transform: Changes bytes in place. The offset is the position of the first byte in the resource. If it
    ///     throws an error, the read fails with ``CacheError/Code/badResponse``.
    public static func inPlace(
        _ name: String, kinds: Set<ResourceKind>,
        _ transform: @escaping @Sendable (_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int64) throws -> Void
    ) -> ContentTransform {
        ContentTransform(name: name, kinds: kinds, function: .inPlace(transform))
    }

    /// Returns a transform of whole bodies (``CacheStore/wholeBody(_:)``), which may change the length. Resources of
    /// its kinds can't be read by ranges until the whole body has been read and stored.
    ///
    /// - Parameters:
    ///   - name: The name, which identifies the transform across openings of the store.
    ///   - kinds: The resource kinds that it applies to.
    ///   - transform: Returns the new body. It isn't called for a body with a content coding. If it throws an error,
    ///     the read fails with ``CacheError/Code/badResponse``.
    public static func wholeBody(
        _ name: String, kinds: Set<ResourceKind>,
        _ transform: @escaping @Sendable (_ body: [UInt8]) throws -> [UInt8]
    ) -> ContentTransform {
        ContentTransform(name: name, kinds: kinds, function: .wholeBody(transform))
    }

    var applied: AppliedTransform {
        switch function {
        case .inPlace: AppliedTransform(name: name, isWhole: false)
        case .wholeBody: AppliedTransform(name: name, isWhole: true)
        }
    }

    /// Returns the transformed body.
    func body(_ bytes: [UInt8]) throws -> [UInt8] {
        guard case .wholeBody(let transform) = function else {
            var bytes = bytes
            try bytes.withUnsafeMutableBytes { try apply(to: $0, at: 0) }
            return bytes
        }
        do {
            return try transform(bytes)
        } catch {
            throw failure(error)
        }
    }

    /// Transforms a part in place.
    func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        guard case .inPlace(let transform) = function else { return }
        do {
            try transform(bytes, offset)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> CacheError {
        CacheError(.badResponse, "the transform “\(name)” failed", cause: error)
    }
}

/// The transform that was applied to a representation's bytes, as recorded in the catalog.
package struct AppliedTransform: Sendable, Hashable {
    package var name: String
    /// Whether it needs the whole body. If so, parts can't be fetched again.
    package var isWhole: Bool
}

/// The processing of a resource's received bytes: observation, then transformation.
package struct ContentPipeline: Sendable {
    var url: ResourceURL
    var kind: ResourceKind
    var transform: ContentTransform?
    var observers: [ObserverQueue]

    /// Returns the processed piece. A piece that was processed before and put back is returned unchanged.
    func pass(_ piece: OriginPiece) throws -> OriginPiece {
        guard !piece.hasPassed else { return piece }
        if !piece.isOverlap {
            for queue in observers {
                queue.offer(ObservedBytes(url: url, kind: kind, range: piece.range, piece: piece))
            }
        }
        var piece = piece
        if let transform {
            var bytes = piece.withUnsafeBytes { [UInt8]($0) }
            try bytes.withUnsafeMutableBytes { try transform.apply(to: $0, at: piece.offset) }
            piece.part = 0..<bytes.count
            piece.buffer = bytes
        }
        piece.hasPassed = true
        return piece
    }
}

extension Engine {
    /// Returns the transform of a kind; nil if there is none.
    func transform(for kind: ResourceKind) -> ContentTransform? {
        configuration.transforms.first { $0.kinds.contains(kind) }
    }

    /// Returns the pipeline for a response. If `transforms` is false, the caller transforms the body itself.
    func pipeline(for url: ResourceURL, _ kind: ResourceKind, transforms: Bool = true) -> ContentPipeline {
        ContentPipeline(
            url: url, kind: kind, transform: transforms ? transform(for: kind) : nil,
            observers: observers.filter { $0.observer.kinds.contains(kind) })
    }

    /// Returns a kind whose transform, if any, is the one that was applied to the representation, preferably the kind
    /// of the last read; nil if there is no such kind.
    func kind(of representation: Representation) -> ResourceKind? {
        let (kind, applied) = representation.content
        return ([kind] + ResourceKind.allCases).first { transform(for: $0)?.applied == applied }
    }

    /// Returns the pipeline for later responses with bytes of a representation.
    func pipeline(for representation: Representation, observes: Bool = true) -> ContentPipeline {
        let (kind, applied) = representation.content
        return ContentPipeline(
            url: representation.resource.locator.url, kind: kind,
            transform: applied.flatMap { applied in configuration.transforms.first { $0.applied == applied } },
            observers: observes ? observers.filter { $0.observer.kinds.contains(kind) } : [])
    }
}

/// The kind of a resource, as far as the reader knows it.
public enum ResourceKind: String, Sendable, Hashable, CaseIterable {
    /// A playlist.
    case playlist
    /// A decryption key.
    case key
    /// A segment of a stream.
    case segment
    /// Any other resource, such as a media file.
    case file
}
