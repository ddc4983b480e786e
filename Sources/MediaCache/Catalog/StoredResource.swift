package import Foundation

/// The catalog record of a resource.
package struct StoredResource: Sendable {
    package var id: Int64
    package var key: String
    package var url: String
    package var created: Date
    package var lastUsed: Date
    /// The value of a counter at the last use, which orders eviction, because the clock may jump.
    package var useOrder: Int64
    package var hits: Int64
    package var isPinned: Bool
}

/// The catalog record of a representation.
package struct StoredRepresentation: Sendable {
    package var id: Int64
    package var resourceID: Int64
    /// The blob's file name without extension: 32 hexadecimal digits.
    package var blob: String
    /// Whether the blob is in the pinned folder.
    package var isDurable: Bool
    package var head: ResourceHead
    package var freshness: Freshness
    package var ignoresRanges: Bool
    /// Whether the next opening of the store deletes the representation unless it's the pinned version. True if the
    /// origin or another transform has replaced it, or if it's stored only until its last reader leaves.
    package var isSuperseded: Bool
    package var spans: SpanMap
    /// Spans found damaged or missing, and not yet received again.
    package var lost = SpanMap()
    /// The transform that was applied to the origin's bytes; nil for none.
    package var transform: AppliedTransform?

    var isComplete: Bool { head.length == spans.byteCount }

    var pinRank: PinRank {
        PinRank(isDurable: isDurable, isComplete: isComplete, isCurrent: !isSuperseded, id: id)
    }

    /// Returns the checksum of the values that determine which bytes are served. SQLite doesn't detect damage to them.
    package func checksum(key: String) -> Int64 {
        var text = "\(id) \(blob) \(head.length ?? -1)"
        for part in [
            key, head.contentType, head.validator.entityTag, head.validator.lastModified, head.entityTag,
        ] {
            text += part.map { " \($0.utf8.count) \($0)" } ?? " -"
        }
        // Omitted without a location, to keep the checksums of older records valid.
        if let location = head.location { text += " at \(location)" }
        if let transform { text += " by \(transform.name) \(transform.isWhole)" }
        let bytes = Array(text.utf8) + [0] + spans.encoded
        return Int64(bytes.withUnsafeBytes { CRC32C.extend(with: $0) })
    }
}

/// The rank of a version of a pinned resource. The version with the highest rank is pinned. A version with a blob in
/// the pinned folder ranks first, then a complete one, the current one, and the newest.
struct PinRank: Comparable {
    var isDurable: Bool
    /// Whether all bytes are committed.
    var isComplete: Bool
    /// Whether neither the origin nor another transform has replaced the version.
    var isCurrent: Bool
    var id: Int64

    static func < (a: PinRank, b: PinRank) -> Bool {
        (a.isDurable ? 1 : 0, a.isComplete ? 1 : 0, a.isCurrent ? 1 : 0, a.id)
            < (b.isDurable ? 1 : 0, b.isComplete ? 1 : 0, b.isCurrent ? 1 : 0, b.id)
    }
}

/// The changes of one representation in a commit: its record and that of its resource, both complete, and the changed
/// checksum pages.
package struct CommitSnapshot: Sendable {
    package var resource: StoredResource
    package var representation: StoredRepresentation
    package var dirtyPages: [Int64: [UInt8]]
}

extension Freshness {
    /// The stored form of the directives: 1 for `no-cache`, 2 for `must-revalidate` without it, 0 for neither.
    var rule: Int { mustRevalidate ? 1 : forbidsStale ? 2 : 0 }

    /// Creates a freshness from its stored form.
    init(freshUntil: Date?, rule: Int) {
        self.init(freshUntil: freshUntil, mustRevalidate: rule == 1, forbidsStale: rule == 2)
    }
}
