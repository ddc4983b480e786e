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

    /// Which protocol version to write.
    public var version: Version

    /// A writer.
    public init(version: Version = .lowest) {
        self.version = version
    }

    /// The playlist in UTF-8, lines ended by LF.
    public func bytes(_ playlist: Playlist) -> [UInt8] {
        var lines = LineWriter()
        lines.tag(.header)
        switch playlist {
        case .media(let media): MediaPlaylistWriter(version: number(media)).write(media, to: &lines)
        case .multivariant(let multivariant):
            MultivariantPlaylistWriter(version: number(multivariant)).write(multivariant, to: &lines)
        }
        return lines.bytes
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
