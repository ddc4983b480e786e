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
    /// Where it plays: what is kept of it.
    public var playlistURL: String
    /// Where it is as one MP4, when it's over.
    public var movieURL: String
    /// What it's exported as when it's over, and how far that is.
    public var exports: [ExportRecord]

    /// The record of a programme.
    ///
    /// - Parameters:
    ///   - programme: the programme.
    ///   - kept: what is kept of its channel. Recording may have begun in its midst.
    ///   - base: what paths of its channel stand behind.
    public init(_ programme: Programme, kept: [TimeSpan], base: String) {
        let span = TimeSpan(programme.from..<max(programme.from, programme.to))
        id = programme.id
        name = programme.name
        (from, to) = (span.from, span.to)
        let (from, to) = (from, to)
        let begin = max(from, kept.first { $0.to > from && $0.from < to }?.from ?? from)
        playlistURL = "\(base)index.m3u8?begintime=\(begin)&endtime=\(to)"
        movieURL = "\(base)\(begin)-\(to).mp4"
        exports = programme.exports.map { ExportRecord($0, of: programme.id, base: base) }
    }
}
