/// Playlists of windows as they were made last: many players ask for the same ones, and again and again.
struct MadeWindows {
    private struct Track {
        /// The state of its timeline that they were made of.
        var revision: Int
        var playlists: [ServedWindow: [UInt8]] = [:]
        var bytes = 0
    }

    /// The most bytes of a track: a day of segments of 2 s has about one million.
    private static let most = 4 << 20

    private var tracks: [String: Track] = [:]

    /// A window's playlist, made of a track's timeline in this state. Those of earlier states are forgotten, and all where
    /// they are too many.
    subscript(window: ServedWindow, of track: String, revision: Int) -> [UInt8]? {
        get { tracks[track].flatMap { $0.revision == revision ? $0.playlists[window] : nil } }
        set {
            guard let newValue, newValue.count <= Self.most, tracks[track].map({ $0.revision <= revision }) ?? true
            else { return }
            var known = tracks.removeValue(forKey: track) ?? Track(revision: revision)
            if known.revision < revision || known.bytes + newValue.count > Self.most {
                known = Track(revision: revision)
            }
            known.bytes += newValue.count - (known.playlists[window]?.count ?? 0)
            known.playlists[window] = newValue
            tracks[track] = known
        }
    }
}
