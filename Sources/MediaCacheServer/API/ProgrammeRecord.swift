public import MediaLibrary

/// A window that is kept, as the API gives it.
public struct ProgrammeRecord: Codable, Sendable, Hashable {
    /// What it's called in URLs.
    public var id: String
    /// What people call it.
    public var name: String
    /// When it begins, in milliseconds since 1970.
    public var from: Int64
    /// When it's over, in milliseconds since 1970.
    public var to: Int64
    /// Where it plays.
    public var playlistURL: String
    /// Where it is as one MP4, when it's over.
    public var movieURL: String
    /// What it's exported as when it's over, and how far that is.
    public var exports: [ExportRecord]

    /// The record of a programme.
    public init(_ programme: Programme, base: String) {
        let span = TimeSpan(programme.from..<max(programme.from, programme.to))
        id = programme.id
        name = programme.name
        (from, to) = (span.from, span.to)
        playlistURL = "\(base)index.m3u8?begintime=\(from)&endtime=\(to)"
        movieURL = "\(base)\(from)-\(to).mp4"
        exports = programme.exports.map { ExportRecord($0, of: programme.id, base: base) }
    }
}
