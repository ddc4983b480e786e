/// The contents of a window of a recording.
package struct RecordedWindow: Sendable {
    /// The start in nanoseconds since 1970, which is later than requested if the beginning isn't recorded.
    package var begins: Int64
    /// Its playlists and parts, in the form in which an asset's contents are known.
    package var contents: AssetContents
    /// The number of lost segments of each track, and of its missing ends, by folder. A track without any segment counts as
    /// one. Subtitles don't count.
    package var gapsByTrack: [String: Int]
    /// The folders of the tracks without any segment in the window: a gap over all of it.
    package var missingTracks: [String]
    /// The folders of the audio renditions of each variant stream, by its folder.
    package var soundByVariant: [String: Set<String>]
    /// How many bytes its segments have.
    package var bytes: Int64

    /// The number of lost segments and missing ends of all tracks.
    package var gaps: Int { gapsByTrack.values.reduce(0, +) }

    /// Returns the number of lost segments and missing ends of the tracks in a film: those of its plan, and the sound that its
    /// variant stream would have.
    package func gaps(in plan: StreamPlan) -> Int {
        let taken = plan.locations.compactMap { ContentsIndex.name(of: $0).map(ChannelEntry.folder(of:)) }
        let sound = taken.first.flatMap { soundByVariant[$0] } ?? []
        let tracks = Set(taken).union(sound.intersection(missingTracks))
        return tracks.reduce(0) { $0 + (gapsByTrack[$1] ?? 0) }
    }
}
