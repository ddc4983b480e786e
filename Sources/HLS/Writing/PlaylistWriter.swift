/// A writer of playlists in a fixed order of tags. Writing and parsing a valid playlist returns an equal one, apart
/// from the declared version.
public struct PlaylistWriter: Sendable {
    /// The protocol version to write.
    public enum Version: Sendable, Hashable {
        /// The lowest version that the content requires (RFC 8216bis §8). Version 1 is written without EXT-X-VERSION.
        case lowest
        /// The version that the playlist declares.
        case declared
    }

    /// The protocol version to write.
    public var version: Version

    /// Creates a writer.
    public init(version: Version = .lowest) { self.version = version }

    /// Returns the playlist in UTF-8 with LF as the line end.
    public func bytes(_ playlist: Playlist) -> [UInt8] {
        var lines = LineWriter()
        lines.tag(.header)
        switch playlist {
        case .media(let media):
            MediaPlaylistWriter(version: number(media.version, media.requiredVersion)).write(media, to: &lines)
        case .multivariant(let multivariant):
            var common = multivariant.common
            common.version = number(multivariant.version, multivariant.requiredVersion)
            lines.tags(common)
            for entry in multivariant.entries { entry.write(to: &lines) }
        }
        return lines.bytes
    }

    /// Returns the playlist as text with LF as the line end.
    public func text(_ playlist: Playlist) -> String { String(decoding: bytes(playlist), as: UTF8.self) }

    private func number(_ declared: Int?, _ required: @autoclosure () -> Int) -> Int? {
        if version == .declared { return declared }
        let required = required()
        return required > 1 ? required : nil
    }
}
