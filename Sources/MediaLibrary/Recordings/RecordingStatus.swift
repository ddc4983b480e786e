public import Foundation

/// A snapshot of a recording.
public struct RecordingStatus: Sendable, Hashable {
    /// The channel.
    public var channel: Channel
    /// The state.
    public var state: RecordingState
    /// The reason why the recording gave up because the channel's URL isn't a stream; nil otherwise.
    public var failure: String?
    /// The live edge: the time up to which every track that receives segments is recorded; nil if nothing is recorded.
    public var edge: Date?
    /// The current time by the stream's clock, which may differ from the recorder's. In window requests, `now` is this
    /// time, and `-<seconds>` is relative to it.
    public var streamTime: Date
    /// The time ranges recorded on any track, in order, without gaps. Ranges less than a second apart are merged.
    public var recordedRanges: [Range<Date>]
    /// The total length of the cached segments of all tracks, in bytes.
    public var bytes: Int64
    /// The number of cached segments of all tracks.
    public var segments: Int
    /// The number of gaps, on the track with the most. Consecutive lost segments are one gap.
    public var gaps: Int
    /// The total duration of the gaps in seconds, on the track where it's longest.
    public var gapSeconds: Double
    /// The average number of bytes received per second during the last 20 s.
    public var rate: Double
    /// The folders of the tracks.
    public var tracks: [String]
}

/// The state of a recording.
public enum RecordingState: Sendable, Hashable {
    /// Recording is turned off.
    case stopped
    /// The playlists are being loaded.
    case starting
    /// Segments are being recorded.
    case recording
    /// A playlist can't be loaded, or no playlist has new segments, for the given reason. Recording continues when the
    /// origin recovers.
    case waiting(String)
    /// The stream has ended or the recording's end has passed.
    case ended
}

/// An event of the recordings.
public enum RecordingEvent: Sendable, Hashable {
    /// The channel's state changed.
    case state(ChannelName, RecordingState)
    /// A segment is complete. The duration is in seconds.
    case segment(ChannelName, track: String, start: Date, duration: Double, bytes: Int64)
    /// A segment couldn't be recorded, or its playlist marks it as a gap. The duration is in seconds.
    case gap(ChannelName, track: String, start: Date, duration: Double, reason: String)
    /// Segments were removed by retention.
    case pruned(ChannelName, segments: Int, bytes: Int64)
    /// The state of a programme's export changed. Progress is reported at most a few times per second.
    case export(ChannelName, programme: String, ProgrammeExport)
    /// The channel was deleted.
    case removed(ChannelName)
    /// Events were dropped because the subscriber didn't read them in time.
    case dropped(count: Int)
}
