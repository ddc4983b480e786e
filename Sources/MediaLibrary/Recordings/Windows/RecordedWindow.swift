import HLS

/// The contents of a window of a recording.
package struct RecordedWindow: Sendable {
    /// The start in nanoseconds since 1970, which is later than requested if the beginning isn't recorded.
    package var begins: Int64
    /// The playlists and parts, as an asset's contents.
    package var contents: AssetContents
    /// The number of lost segments of each track, plus its missing beginning and end, by folder. A track without any
    /// segments counts as one. Subtitles don't count.
    package var gapsByTrack: [String: Int]
    /// The folders of the tracks that were part of the stream in the window, but have no segments there.
    package var missingTracks: [String]
    /// The folders of each variant stream's audio renditions, by the variant stream's folder.
    package var audioFoldersByVariant: [String: Set<String>]
    /// The total length of the segments in bytes.
    package var bytes: Int64

    /// The number of lost segments and missing ends of all tracks.
    package var gaps: Int { gapsByTrack.values.reduce(0, +) }

    /// Returns the number of lost segments and missing ends in an export: those of the plan's tracks, and of the
    /// variant stream's audio renditions that have no segments in the window.
    package func gaps(in plan: StreamPlan) -> Int {
        let exported = plan.locations.compactMap { ContentsIndex.name(of: $0).map(ChannelEntry.folder(of:)) }
        let audioFolders = exported.first.flatMap { audioFoldersByVariant[$0] } ?? []
        let tracks = Set(exported).union(audioFolders.intersection(missingTracks))
        return tracks.reduce(0) { $0 + (gapsByTrack[$1] ?? 0) }
    }
}

/// The error of a request for a window outside the recorded time ranges.
package struct WindowOutOfRangeError: Error, Sendable, CustomStringConvertible {
    package let channel: ChannelName
    /// The reason, as a clause.
    package let what: String
    /// The recorded time ranges, in nanoseconds since 1970.
    package let recordedRanges: [Range<Int64>]

    package var description: String {
        let ranges = recordedRanges.suffix(4).map {
            "\(DateTime(nanosecondsSinceEpoch: $0.lowerBound / 1_000_000 * 1_000_000)) to "
                + "\(DateTime(nanosecondsSinceEpoch: $0.upperBound / 1_000_000 * 1_000_000))"
        }
        return "\(channel): \(what); "
            + (ranges.isEmpty ? "nothing is recorded" : "recorded: \(ranges.joined(separator: ", "))")
    }
}
