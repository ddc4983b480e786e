/// What a resource is to who reads it, as far as that is known when it's asked for.
public enum ResourceKind: String, Sendable, Hashable, CaseIterable {
    /// A playlist.
    case playlist
    /// A key that media is encrypted with.
    case key
    /// A segment of a stream.
    case segment
    /// Anything else: a film, a song.
    case file
}
