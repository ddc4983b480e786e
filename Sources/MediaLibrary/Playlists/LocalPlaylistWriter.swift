import HLS

/// Writes the playlists of assets, bundles and recordings. No reference in them leads away from the files beside them.
enum LocalPlaylistWriter {
    /// Stands in place of a reference that leads away: an empty resource (RFC 2397) at which a player contacts no host.
    private static let nowhere = "data:,"
    /// Schemes of keys that a DRM system provides, and of keys inside the playlist (RFC 8216bis, section 4.4.4.4).
    private static let keySchemes: Set<String> = ["data", "skd", "urn"]

    /// Writes a playlist in UTF-8.
    ///
    /// The result is read again as players read it. A reference is a relative path of plain characters, or that of a key
    /// whose scheme names no host; every other becomes an empty resource. Characters at which some players end a line are
    /// left out, and so is text in which only some players find a reference.
    static func bytes(of playlist: Playlist) -> [UInt8] {
        PlaylistReferences().rewritten(PlaylistWriter().bytes(playlist)) { isLocal($0) ? nil : nowhere }
    }

    /// The same as text.
    static func text(of playlist: Playlist) -> String { String(decoding: bytes(of: playlist), as: UTF8.self) }

    private static func isLocal(_ reference: Reference) -> Bool {
        switch URLReference.form(of: reference.uri) {
        case .relativePath:
            return reference.uri.utf8.allSatisfy(isPlain)
        case .absolute:
            guard reference.role == .key || reference.role == .sessionKey, let first = reference.uri.utf8.first,
                isPlain(first), let scheme = URLReference(reference.uri).scheme
            else { return false }
            return keySchemes.contains(scheme.lowercased())
        case .networkPath, .rootRelative:
            return false
        }
    }

    /// Whether every player takes a character for a part of a path or a query.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~/?=&%+,".utf8.contains(byte)
        }
    }
}

/// The tags that are removed from playlists that play from the cache: those of live streams, and those that refer to
/// the origin.
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

    /// Whether text seems to contain a reference.
    static func leadsAway(_ text: String) -> Bool {
        text.contains("://") || text.contains("URI=") || text.contains("X-ASSET-LIST=")
    }

    /// Whether a DRM system provides a key, so that it can't be requested by HTTP as it is (RFC 8216bis §4.4.4.4).
    static func isForeign(_ key: EncryptionKey) -> Bool { key.method != .none && key.keyFormat != "identity" }

    /// Whether any of the keys encrypts whole resources rather than parts of them.
    static func encryptsAll(_ keys: [EncryptionKey]) -> Bool { keys.contains { SegmentCipher($0.method) != nil } }
}
