/// A cache of window playlists, because many players request the same ones repeatedly.
struct MadeWindows {
    private struct Track {
        /// The revision of the timeline from which the playlists were made.
        var revision: Int
        var playlists: [ServedWindow: [UInt8]] = [:]
        var bytes = 0
    }

    /// The maximum size of a track's playlists in bytes. One day of 2 s segments has about one million.
    private static let maximumSize = 4 << 20

    private var tracks: [String: Track] = [:]

    /// The playlist of a window, made from a revision of a track's timeline. Setting one removes those of earlier
    /// revisions, or all if they exceed the limit.
    subscript(window: ServedWindow, of track: String, revision: Int) -> [UInt8]? {
        get { tracks[track].flatMap { $0.revision == revision ? $0.playlists[window] : nil } }
        set {
            guard let newValue, newValue.count <= Self.maximumSize,
                tracks[track].map({ $0.revision <= revision }) ?? true
            else { return }
            var known = tracks.removeValue(forKey: track) ?? Track(revision: revision)
            if known.revision < revision || known.bytes + newValue.count > Self.maximumSize {
                known = Track(revision: revision)
            }
            known.bytes += newValue.count - (known.playlists[window]?.count ?? 0)
            known.playlists[window] = newValue
            tracks[track] = known
        }
    }
}

/// A window of a track as it's served at a moment.
struct ServedWindow: Hashable {
    /// The start in nanoseconds since 1970. A segment that contains it belongs to the window.
    var from: Int64
    /// The end in nanoseconds since 1970. A segment that begins at it doesn't belong to the window.
    var to: Int64
    /// The time at which playback begins; nil for a sliding window, in which the player decides.
    var begins: Int64?
    /// Whether no more segments will be added.
    var isOver: Bool
    /// Whether no segment is removed while the window grows.
    var keepsAll = false
    /// Whether a segment that continues past the end is excluded.
    var isDelayed = false
}
