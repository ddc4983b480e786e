/// What a window of a recording consists of.
package struct RecordedWindow: Sendable {
    /// When it begins, in nanoseconds since 1970: later than what was asked for where that isn't recorded.
    package var begins: Int64
    /// Its playlists and parts, in the form in which an asset's contents are known.
    package var contents: AssetContents
    /// How many of its segments were lost, of all tracks.
    package var gaps: Int
    /// How many bytes its segments have.
    package var bytes: Int64
}
