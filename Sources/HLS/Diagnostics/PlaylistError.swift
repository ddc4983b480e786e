/// Why a body gives no playlist.
public enum PlaylistError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The body is something else.
    case notAPlaylist(ForeignContent)
    /// A strict parse met its first error.
    case invalid(Diagnostic)
    /// The body, inflated or not, is longer than the limit, in bytes.
    case playlistTooLong(limit: Int)
    /// A line is longer than the limit, in bytes.
    case lineTooLong(line: Int, limit: Int)
    /// There are more segments, or tags of other kinds, than the limit.
    case tooManyTags(line: Int, limit: Int)
    /// The body is compressed, and the inflater that was given couldn't inflate it, or none was given.
    case notInflated

    /// The line that the error is about, counted from 1; nil where it is about the whole.
    public var line: Int? {
        switch self {
        case .invalid(let diagnostic): diagnostic.line
        case .lineTooLong(let line, _), .tooManyTags(let line, _): line
        case .notAPlaylist, .playlistTooLong, .notInflated: nil
        }
    }

    /// One sentence for people.
    public var description: String {
        switch self {
        case .notAPlaylist(let content): "The body isn't a playlist; it is \(content)."
        case .invalid(let diagnostic): "Line \(diagnostic)"
        case .playlistTooLong(let limit): "The playlist is longer than \(limit) bytes."
        case .lineTooLong(let line, let limit): "Line \(line) is longer than \(limit) bytes."
        case .tooManyTags(let line, let limit): "Line \(line) is past the limit of \(limit) tags."
        case .notInflated: "The body is compressed and couldn't be inflated."
        }
    }
}
