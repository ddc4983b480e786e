import HLS

/// A writer of playlists for assets, bundles and recordings. It replaces all references to hosts and all absolute
/// paths, so that players contact no other host.
enum LocalPlaylistWriter {
    /// The replacement for removed references: an empty resource (RFC 2397), for which a player contacts no host.
    private static let emptyResource = "data:,"
    /// The schemes of keys from DRM systems and of keys inside the playlist (RFC 8216bis §4.4.4.4).
    private static let keySchemes: Set<String> = ["data", "skd", "urn"]

    /// Returns a playlist in UTF-8.
    ///
    /// The text is scanned as players would read it. References remain if they are relative paths of plain characters,
    /// or keys with a scheme that contacts no host. Others are replaced. Characters that only some players treat as
    /// line breaks are removed, and so is text in which only some players find a reference.
    static func bytes(of playlist: Playlist) -> [UInt8] {
        PlaylistReferences().rewritten(PlaylistWriter().bytes(playlist)) { isLocal($0) ? nil : emptyResource }
    }

    static func text(of playlist: Playlist) -> String { String(decoding: bytes(of: playlist), as: UTF8.self) }

    private static func isLocal(_ reference: Reference) -> Bool {
        switch URLReference.form(of: reference.uri) {
        case .relativePath: return reference.uri.utf8.allSatisfy(isPlain)
        case .absolute:
            guard reference.role == .key || reference.role == .sessionKey, let first = reference.uri.utf8.first,
                isPlain(first), let scheme = URLReference(reference.uri).scheme
            else { return false }
            return keySchemes.contains(scheme.lowercased())
        case .networkPath, .rootRelative: return false
        }
    }

    /// Returns whether every player treats a character as part of a path or query.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~/?=&%+,".utf8.contains(byte)
        }
    }
}

extension EncryptionKey {
    /// Whether a DRM system provides the key, so that it can't be requested by HTTP (RFC 8216bis §4.4.4.4).
    var isManagedByDRM: Bool { method != .none && keyFormat != "identity" }
}

extension [EncryptionKey] {
    /// Whether any of the keys encrypts whole resources rather than parts of them.
    var encryptWholeResources: Bool { contains { SegmentCipher($0.method) != nil } }
}
