/// The contents of a window of a recording.
package struct RecordedWindow: Sendable {
    /// The start in nanoseconds since 1970, which is later than requested if the beginning isn't recorded.
    package var begins: Int64
    /// Its playlists and parts, in the form in which an asset's contents are known.
    package var contents: AssetContents
    /// The number of lost segments of all tracks, and of ends of tracks that are missing. A track without any segment counts
    /// as one.
    package var gaps: Int
    /// The folders of the tracks without any segment in the window: a gap over all of it.
    package var missingTracks: [String]
    /// How many bytes its segments have.
    package var bytes: Int64
}
