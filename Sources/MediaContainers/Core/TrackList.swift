/// The tracks that a demuxer has found so far. A track keeps its index, and a format keeps its index in the track.
final class TrackList {
    /// The maximum number of formats in a track. Samples in further formats get the last one.
    private static let maximumFormats = 64

    private(set) var tracks: [MediaTrack] = []
    /// Whether each track still has the format that was derived from the program map alone.
    private var isProvisional: [Bool] = []
    /// Whether the list may have changed since the sink received it.
    private var hasChanged = false

    var count: Int { tracks.count }

    func append(_ track: MediaTrack, isProvisional: Bool) -> Int {
        tracks.append(track)
        self.isProvisional.append(isProvisional)
        hasChanged = true
        return tracks.count - 1
    }

    /// Returns the index of a format in its track, adding the format if it is new.
    func index(of format: MediaFormat, track: Int, frameRate: Double?) -> Int {
        hasChanged = true
        tracks[track].frameRate = frameRate ?? tracks[track].frameRate
        if isProvisional[track] {
            isProvisional[track] = false
            tracks[track].formats = [format]
            return 0
        }
        if let known = tracks[track].formats.firstIndex(of: format) { return known }
        guard tracks[track].formats.count < Self.maximumFormats else { return tracks[track].formats.count - 1 }
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

    /// Passes the list to a sink if it may have changed since the last call.
    func announce<Sink: SampleSink>(to sink: inout Sink) throws(ContainerError) {
        guard hasChanged else { return }
        hasChanged = false
        try sink.tracks(tracks)
    }
}
