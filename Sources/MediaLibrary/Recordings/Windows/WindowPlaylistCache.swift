/// A cache of generated window playlists, since many players request the same windows repeatedly.
struct WindowPlaylistCache {
    private struct Track {
        /// The revision of the timeline from which the playlists were generated.
        var revision: Int
        var playlists: [ServedWindow: [UInt8]] = [:]
        var bytes = 0
    }

    /// The maximum total size of a track's playlists in bytes.
    private static let maximumSize = 4 << 20

    private var tracks: [String: Track] = [:]

    /// The playlist of a window, generated from a revision of a track's timeline. A new revision discards the playlists
    /// of earlier ones. All playlists of a track are discarded when another one would exceed the size limit.
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

/// A window of a track, with its times resolved for one response.
struct ServedWindow: Hashable {
    /// The start in nanoseconds since 1970. A segment in progress at this time is included.
    var from: Int64
    /// The end in nanoseconds since 1970. A segment that starts at this time isn't included.
    var to: Int64
    /// The time at which playback begins, in nanoseconds since 1970; nil if the player decides.
    var begins: Int64?
    /// Whether no more segments will be added.
    var isOver: Bool
    /// Whether no segment is removed while the window grows.
    var keepsAll = false
    /// Whether a segment in progress at the end is excluded.
    var isDelayed = false
}
