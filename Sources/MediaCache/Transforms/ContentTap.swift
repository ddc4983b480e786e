/// What stands between an origin and whatever takes its bytes, for one resource: observers, then a transform.
package struct ContentTap: Sendable {
    var url: ResourceURL
    var kind: ResourceKind
    var transform: ContentTransform?
    var observers: [ObserverQueue]

    /// The piece as it goes on. A piece that was taken back passes once.
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
    /// The transform for what is of `kind`.
    func transform(for kind: ResourceKind) -> ContentTransform? {
        configuration.transforms.first { $0.kinds.contains(kind) }
    }

    /// What a request passes. The bodies that are transformed whole are so when they are complete.
    func tap(_ url: ResourceURL, _ kind: ResourceKind, transforms: Bool = true) -> ContentTap {
        ContentTap(
            url: url, kind: kind, transform: transforms ? transform(for: kind) : nil,
            observers: observers.filter { $0.observer.kinds.contains(kind) })
    }

    /// What a representation can be read as: what it was read as last, if that is known; nil if what made it isn't
    /// configured any more.
    func kind(of representation: Representation) -> ResourceKind? {
        let (kind, applied) = representation.content
        return ([kind] + ResourceKind.allCases).first { transform(for: $0)?.applied == applied }
    }

    /// The same for a later request for the bytes of a representation.
    func tap(_ representation: Representation, observes: Bool = true) -> ContentTap {
        let (kind, applied) = representation.content
        return ContentTap(
            url: representation.resource.locator.url, kind: kind,
            transform: applied.flatMap { applied in configuration.transforms.first { $0.applied == applied } },
            observers: observes ? observers.filter { $0.observer.kinds.contains(kind) } : [])
    }
}
