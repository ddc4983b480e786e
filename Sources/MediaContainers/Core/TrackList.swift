/// The tracks that a demuxer has found so far. A track keeps its index, a format its index in its track.
final class TrackList {
    /// More formats than this in a track are damage: the last is used for what follows.
    private static let mostFormats = 64

    private(set) var tracks: [MediaTrack] = []
    /// Whether tracks hold a format that was only guessed from the programme map.
    private var isProvisional: [Bool] = []
    /// Whether something changed since the sink was told.
    var hasChanged = false

    var count: Int { tracks.count }

    func append(_ track: MediaTrack, isProvisional: Bool) -> Int {
        tracks.append(track)
        self.isProvisional.append(isProvisional)
        hasChanged = true
        return tracks.count - 1
    }

    /// The index of a format in its track, which gets it if it is new.
    func index(of format: MediaFormat, track: Int, frameRate: Double?) -> Int {
        hasChanged = true
        tracks[track].frameRate = frameRate ?? tracks[track].frameRate
        if isProvisional[track] {
            isProvisional[track] = false
            tracks[track].formats = [format]
            return 0
        }
        if let known = tracks[track].formats.firstIndex(of: format) { return known }
        guard tracks[track].formats.count < Self.mostFormats else { return tracks[track].formats.count - 1 }
        tracks[track].formats.append(format)
        return tracks[track].formats.count - 1
    }

    func setPriming(_ priming: Int64, track: Int) {
        hasChanged = true
        tracks[track].priming = priming
    }

    func setTimescale(_ timescale: Int32, track: Int) {
        hasChanged = true
        tracks[track].timescale = timescale
    }
}
