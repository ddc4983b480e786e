internal import HLS
internal import MediaContainers

/// The metadata of a playlist.
///
/// RFC 8216bis defines no identifiers of session data. Those of Apple's streams, which other players read too, are
/// used: `com.apple.hls.title`, `.episode-title`, `.description`, `.genre` and `.release-date`. Extended M3U has the
/// title of the list in a comment, `#PLAYLIST:`. Titles of EXTINF describe single segments (RFC 8216bis §4.4.4.1), so
/// they aren't the title of the stream.
extension MediaMetadata {
    private static let dataPrefix = "com.apple.hls."
    private static let titleComment = "#PLAYLIST:"
    /// The length in bytes of the beginning of a playlist that is searched for the comment.
    private static let commentArea = 64 << 10

    /// Reads the metadata of a parsed playlist.
    ///
    /// - Parameter bytes: The text of the playlist, which has the comments.
    init(_ playlist: Playlist, bytes: [UInt8]) {
        self.init()
        if case .multivariant(let playlist) = playlist {
            let title = Self.value("title", in: playlist.sessionData)
            let episode = Self.value("episode-title", in: playlist.sessionData)
            self.title = episode ?? title
            show = episode == nil ? nil : title
            description = Self.data("description", in: playlist.sessionData).flatMap { Self.descriptionText($0) }
            genre = Self.value("genre", in: playlist.sessionData)
            year = Self.data("release-date", in: playlist.sessionData).flatMap { Self.year($0) }
        }
        title = title ?? Self.comment(in: bytes)
    }

    private static func value(_ name: String, in data: [SessionData]) -> String? {
        Self.data(name, in: data).flatMap { text($0) }
    }

    /// Returns the first value with this name, which may exist in several languages.
    private static func data(_ name: String, in data: [SessionData]) -> String? {
        data.lazy.filter { $0.dataID == dataPrefix + name }.compactMap(\.value).first
    }

    private static func comment(in bytes: [UInt8]) -> String? {
        for line in bytes.prefix(commentArea).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        where line.starts(with: titleComment.utf8) {
            if let title = text(String(decoding: line.dropFirst(titleComment.utf8.count), as: UTF8.self)) {
                return title
            }
        }
        return nil
    }
}
