/// What a parse gives: a playlist and what there is to say about it.
public struct ParsedPlaylist: Sendable, Hashable {
    /// The playlist.
    public var playlist: Playlist
    /// The findings, by line; at most ``PlaylistParser/Limits/diagnostics``.
    public var diagnostics: [Diagnostic]
    /// How many findings were left out past the limit.
    public var droppedDiagnostics: Int
    /// The values of the variables that the playlist defines, by name: what its media playlists may import.
    public var variables: [String: String]
}
