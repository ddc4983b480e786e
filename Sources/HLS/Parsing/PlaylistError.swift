/// An error from parsing a playlist.
public enum PlaylistError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The body isn't a playlist.
    case notAPlaylist(OtherContent)
    /// The playlist violates the RFC, and the parser is strict.
    case invalid(Diagnostic)
    /// The body exceeds the limit in bytes, before or after decompression.
    case playlistTooLong(limit: Int)
    /// A line exceeds the limit in bytes.
    case lineTooLong(line: Int, limit: Int)
    /// The number of segments and tags exceeds the limit.
    case tooManyTags(line: Int, limit: Int)
    /// The body is compressed, and the parser has no inflater, or the inflater failed.
    case notInflated

    /// The line, counted from 1; nil if the error concerns the whole body.
    public var line: Int? {
        switch self {
        case .invalid(let diagnostic): diagnostic.line > 0 ? diagnostic.line : nil
        case .lineTooLong(let line, _), .tooManyTags(let line, _): line
        case .notAPlaylist, .playlistTooLong, .notInflated: nil
        }
    }

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .notAPlaylist(let content): "The body isn't a playlist; it is \(content)."
        case .invalid(let diagnostic): diagnostic.line > 0 ? "Line \(diagnostic)" : "\(diagnostic)"
        case .playlistTooLong(let limit): "The playlist is longer than \(limit) bytes."
        case .lineTooLong(let line, let limit): "Line \(line) is longer than \(limit) bytes."
        case .tooManyTags(let line, let limit):
            "The playlist exceeds the limit of \(limit) segments and tags at line \(line)."
        case .notInflated: "The body is compressed with gzip and couldn't be decompressed."
        }
    }
}
