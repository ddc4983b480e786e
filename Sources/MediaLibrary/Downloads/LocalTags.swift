import HLS

/// Which tags have no place in a playlist that plays from here: those of a stream that goes on, and those that lead to
/// what isn't kept.
enum LocalTags {
    static func isLeftOut(_ tag: SegmentTag) -> Bool {
        switch tag {
        case .part: true
        case .dateRange(let range): leadsAway(range.attributes.description)
        case .cue(let cue): cue.value.map(leadsAway) ?? false
        case .durationParameters(let text): leadsAway(text)
        case .unknown(let tag): leadsAway(tag)
        case .programDateTime, .bitrate: false
        }
    }

    static func leadsAway(_ tag: UnknownTag) -> Bool { tag.value.map(leadsAway) ?? false }

    static func leadsAway(_ data: SessionData) -> Bool { data.value.map(leadsAway) ?? false }

    /// Whether text names something, as far as that can be told without knowing what it means.
    static func leadsAway(_ text: String) -> Bool {
        text.contains("://") || text.contains("URI=") || text.contains("X-ASSET-LIST=")
    }

    /// Whether a key is had by the means of some DRM system, and not asked for by HTTP as it is (RFC 8216bis §4.4.4.4).
    static func isForeign(_ key: EncryptionKey) -> Bool { key.method != .none && key.keyFormat != "identity" }

    /// Whether a method encrypts a resource as a whole, and not some of its bytes.
    static func encryptsAll(_ keys: [EncryptionKey]) -> Bool { keys.contains { SegmentCipher($0.method) != nil } }
}
