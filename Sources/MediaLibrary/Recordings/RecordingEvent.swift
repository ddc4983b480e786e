public import Foundation

/// What happens to recordings.
public enum RecordingEvent: Sendable, Hashable {
    /// A channel's state has changed.
    case state(ChannelName, RecordingState)
    /// A segment is kept, from the first byte to the last.
    case segment(ChannelName, track: String, start: Date, duration: Double, bytes: Int64)
    /// Something was lost, or never was.
    case gap(ChannelName, track: String, start: Date, duration: Double, reason: String)
    /// Segments were given up to keep within a limit.
    case pruned(ChannelName, segments: Int, bytes: Int64)
    /// An export of a programme, which the ID names, stands elsewhere now; while it runs, a few times a second at most.
    case export(ChannelName, programme: String, ProgrammeExport)
    /// A channel was deleted.
    case removed(ChannelName)
    /// So many events were dropped, since nobody took them.
    case dropped(count: Int)
}

/// What a recording does.
public enum RecordingState: Sendable, Hashable {
    /// Nobody wants it recorded at the moment.
    case stopped
    /// Its playlists are looked for.
    case starting
    /// It records.
    case recording
    /// Nothing comes: why, in words. It goes on when something does.
    case waiting(String)
    /// Its stream has ended, or its time is over.
    case ended
}

/// A recording at a moment.
public struct RecordingStatus: Sendable, Hashable {
    /// The channel.
    public var channel: Channel
    /// What it does.
    public var state: RecordingState
    /// Up to when it's recorded; nil where nothing is.
    public var edge: Date?
    /// Of which stretches of time something is kept, in order.
    public var kept: [Range<Date>]
    /// How many bytes are kept of all tracks.
    public var bytes: Int64
    /// How many segments are kept of all tracks.
    public var segments: Int
    /// How many segments are gaps, and how many seconds the longest of the tracks' gaps last together.
    public var gaps: Int
    /// How many seconds are lost, on the track that lost most.
    public var gapSeconds: Double
    /// How many bytes came in a second lately.
    public var rate: Double
    /// The folders of its tracks.
    public var tracks: [String]
}
