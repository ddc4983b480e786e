/// Writes playlists: the same model always gives the same bytes, and these give the same model when they are read.
///
/// ```swift
/// var playlist = MediaPlaylist(targetDuration: 6)
/// playlist.segments = [MediaSegment(uri: "1.ts", duration: DecimalValue(6))]
/// let text = PlaylistWriter().text(.media(playlist))
/// ```
public struct PlaylistWriter: Sendable {
    /// Which protocol version to write.
    public enum Version: Sendable, Hashable {
        /// The lowest that the content needs, and no EXT-X-VERSION tag where that is 1 (RFC 8216bis, section 8).
        case lowest
        /// The one that the playlist declares, needed or not.
        case declared
    }

    /// In which order to write tags.
    public enum Order: Sendable, Hashable {
        /// Always the same.
        case canonical
        /// Tags of the whole where they were read, and blank lines between them: in a media playlist up to the first
        /// URI. What wasn't read is written where the canonical order puts it.
        case asRead
    }

    /// Which protocol version to write.
    public var version: Version
    /// In which order to write tags.
    public var order: Order

    /// A writer.
    public init(version: Version = .lowest, order: Order = .canonical) {
        self.version = version
        self.order = order
    }

    /// The playlist in UTF-8, lines ended by LF.
    public func bytes(_ playlist: Playlist) -> [UInt8] {
        var lines = LineWriter()
        lines.tag(.header)
        let order: TagOrder
        switch playlist {
        case .media(let media):
            order = media.tagOrder
            MediaPlaylistWriter(version: number(media), zeros: self.order == .asRead ? order : TagOrder())
                .write(media, to: &lines)
        case .multivariant(let multivariant):
            order = multivariant.tagOrder
            MultivariantPlaylistWriter(version: number(multivariant)).write(multivariant, to: &lines)
        }
        guard self.order == .asRead else { return lines.bytes }
        let end = playlist.kind == .media ? lines.firstURI : lines.bytes.count
        let arranged = order.arranged(lines.bytes[..<end], playlist.kind) + lines.bytes[end...]
        // Of tags of both kinds the first decides, where the one that did had nothing to keep.
        return Self.kind(of: arranged) == Self.kind(of: lines.bytes) ? arranged : lines.bytes
    }

    private static func kind(of bytes: [UInt8]) -> PlaylistKind? {
        withBytes(of: bytes) { PlaylistKind.detect($0) }
    }

    /// The playlist as text, lines ended by LF.
    public func text(_ playlist: Playlist) -> String {
        String(decoding: bytes(playlist), as: UTF8.self)
    }

    private func number(_ playlist: MediaPlaylist) -> Int? {
        version == .declared ? playlist.version : playlist.requiredVersion > 1 ? playlist.requiredVersion : nil
    }

    private func number(_ playlist: MultivariantPlaylist) -> Int? {
        version == .declared ? playlist.version : playlist.requiredVersion > 1 ? playlist.requiredVersion : nil
    }
}
