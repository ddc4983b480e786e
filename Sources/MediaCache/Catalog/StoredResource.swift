package import Foundation

/// A resource as the catalog knows it.
package struct StoredResource: Sendable {
    package var id: Int64
    package var key: String
    package var url: String
    package var created: Date
    package var lastUsed: Date
    /// Grows with each use; what eviction orders by, since the clock may jump.
    package var useOrder: Int64
    package var hits: Int64
    package var isPinned: Bool
}

/// One version of a resource as the catalog knows it.
package struct StoredRepresentation: Sendable {
    package var id: Int64
    package var resourceID: Int64
    /// The blob's file name without extension: 32 hexadecimal digits.
    package var blob: String
    /// Whether the blob lies among those that aren't evicted.
    package var isKept: Bool
    package var head: ResourceHead
    package var freshness: Freshness
    package var ignoresRanges: Bool
    /// Whether the origin has a newer version, so that only open readers hold this one.
    package var isSuperseded: Bool
    package var spans: SpanMap
    /// What was damaged or gone and hasn't come again.
    package var lost = SpanMap()
    /// What made its bytes of the origin's.
    package var transform: AppliedTransform?

    /// Whether every byte is cached.
    var isComplete: Bool { head.length == spans.byteCount }

    var pinRank: PinRank {
        PinRank(isKept: isKept, isComplete: isComplete, isCurrent: !isSuperseded, id: id)
    }

    /// The checksum of what decides which bytes are served under which name, so that a catalog damaged inside a value,
    /// which SQLite doesn't notice, serves nothing wrong.
    package func checksum(key: String) -> Int64 {
        var text = "\(id) \(blob) \(head.length ?? -1)"
        for part in [
            key, head.contentType, head.validator.entityTag, head.validator.lastModified, head.entityTag,
        ] {
            text += part.map { " \($0.utf8.count) \($0)" } ?? " -"
        }
        // Only where there is one: rows from before it was known stay as they were.
        if let location = head.location { text += " at \(location)" }
        if let transform { text += " by \(transform.name) \(transform.isWhole)" }
        let bytes = Array(text.utf8) + [0] + spans.encoded
        return Int64(bytes.withUnsafeBytes { CRC32C.extend(with: $0) })
    }
}

/// The order in which a resource's versions are candidates for the one that its pin names, the last being that one: a
/// blob that has been moved because of the pin, then a complete version, the current one, and the newest.
struct PinRank: Comparable {
    /// Whether the blob lies with what is kept.
    var isKept: Bool
    /// Whether every byte is committed.
    var isComplete: Bool
    /// Whether the origin hasn't replaced the version.
    var isCurrent: Bool
    var id: Int64

    static func < (a: PinRank, b: PinRank) -> Bool {
        (a.isKept ? 1 : 0, a.isComplete ? 1 : 0, a.isCurrent ? 1 : 0, a.id)
            < (b.isKept ? 1 : 0, b.isComplete ? 1 : 0, b.isCurrent ? 1 : 0, b.id)
    }
}

/// What one commit writes about a representation: all of its row, and the checksum pages that changed.
package struct CommitSnapshot: Sendable {
    package var resource: StoredResource
    package var representation: StoredRepresentation
    package var dirtyPages: [Int64: [UInt8]]
}

extension Freshness {
    /// The stored form of the directives: 1 for `no-cache`, 2 for `must-revalidate`, 0 for neither.
    var rule: Int { mustRevalidate ? 1 : forbidsStale ? 2 : 0 }

    /// Freshness as stored.
    init(freshUntil: Date?, rule: Int) {
        self.init(freshUntil: freshUntil, mustRevalidate: rule == 1, forbidsStale: rule == 2)
    }
}
