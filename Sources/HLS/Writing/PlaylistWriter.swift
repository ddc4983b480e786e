/// A writer of playlists. Writing and parsing a valid playlist returns an equal one, apart from the declared version.
public struct PlaylistWriter: Sendable {
    /// The protocol version to write.
    public enum Version: Sendable, Hashable {
        /// The lowest version that the content requires (RFC 8216bis §8). Version 1 is written without EXT-X-VERSION.
        case lowest
        /// The version that the playlist declares.
        case declared
    }

    /// The order of tags.
    public enum Order: Sendable, Hashable {
        /// A fixed order.
        case canonical
        /// The order in which playlist-level tags and blank lines were read; in a media playlist, up to the first URI.
        /// Tags that weren't read are written in canonical order.
        case asRead
    }

    /// The protocol version to write.
    public var version: Version
    /// The order of tags.
    public var order: Order

    /// Creates a writer.
    public init(version: Version = .lowest, order: Order = .canonical) {
        self.version = version
        self.order = order
    }

    /// Returns the playlist in UTF-8 with LF as the line end.
    public func bytes(_ playlist: Playlist) -> [UInt8] {
        var lines: LineWriter
        let tagOrder: TagOrder
        switch playlist {
        case .media(let media):
            tagOrder = media.tagOrder
            lines = LineWriter(tagsRead: order == .asRead ? tagOrder.tags : [])
            lines.tag(.header)
            MediaPlaylistWriter(version: number(media.version, media.requiredVersion)).write(media, to: &lines)
        case .multivariant(let multivariant):
            tagOrder = multivariant.tagOrder
            lines = LineWriter()
            lines.tag(.header)
            var common = multivariant.common
            common.version = number(multivariant.version, multivariant.requiredVersion)
            lines.tags(common)
            for entry in multivariant.entries { entry.write(to: &lines) }
        }
        guard order == .asRead else { return lines.bytes }
        let end = playlist.kind == .media ? lines.firstURI : lines.bytes.count
        let arranged = tagOrder.arranged(lines.bytes[..<end], playlist.kind) + lines.bytes[end...]
        // In a playlist with tags of both kinds, another order can change the kind.
        return Self.kind(of: arranged) == Self.kind(of: lines.bytes) ? arranged : lines.bytes
    }

    /// Returns the playlist as text with LF as the line end.
    public func text(_ playlist: Playlist) -> String { String(decoding: bytes(playlist), as: UTF8.self) }

    private static func kind(of bytes: [UInt8]) -> PlaylistKind? {
        withBytes(of: bytes) { PlaylistKind.detect($0) }
    }

    private func number(_ declared: Int?, _ required: @autoclosure () -> Int) -> Int? {
        if version == .declared { return declared }
        let required = required()
        return required > 1 ? required : nil
    }
}
