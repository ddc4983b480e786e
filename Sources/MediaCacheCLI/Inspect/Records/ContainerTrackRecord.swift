import MediaContainers

/// A track of a container in JSON.
struct ContainerTrackRecord: Encodable, Sendable {
    /// What `--packets` calls it: 0, 1, …
    var index: Int
    /// Its id in the container: MP4's track ID, a transport stream's PID.
    var id: UInt32
    /// `video`, `audio`, `text` or `data`.
    var kind: String
    /// The first format's codec (RFC 6381).
    @Nullable var codec: String?
    /// How its samples are coded, more than one where that changes.
    var formats: [ContainerFormatRecord]
    /// Ticks per second.
    var timescale: Int32
    /// The earliest time shown, in seconds.
    @Nullable var start: Double?
    /// Seconds from there to the last.
    @Nullable var duration: Double?
    /// Pictures in a second.
    @Nullable var frameRate: Double?
    /// The language.
    @Nullable var language: String?
    /// How many samples.
    var samples: Int
    /// Those that decoding can start at.
    var syncSamples: Int
    /// Those that an edit list hides.
    var hiddenSamples: Int
    /// The samples' bytes.
    var bytes: Int64
    /// Bits per second over the duration.
    @Nullable var bitRate: Int?

    /// The record of a track.
    init(index: Int, _ track: MediaTrack, _ tally: TrackTally) {
        self.index = index
        id = track.id
        kind = track.kind.rawValue
        codec = (track.isRead ? track.format?.codecString : track.format?.name)?.unlessEmpty
        formats = track.formats.map(ContainerFormatRecord.init)
        let timescale = track.timescale
        self.timescale = timescale
        start = tally.start.map { SecondsText.number($0, timescale: timescale) }
        duration = (tally.duration ?? track.duration).map { SecondsText.number($0, timescale: timescale) }
        frameRate = track.kind == .video ? track.frameRate ?? tally.frameRate(timescale: timescale) : nil
        language = track.language
        samples = tally.samples
        syncSamples = tally.syncSamples
        hiddenSamples = tally.hiddenSamples
        bytes = tally.bytes
        bitRate = ContainerReport.bitRate(tally.bytes, duration)
    }
}
