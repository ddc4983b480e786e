public import Foundation

/// A recording at a moment.
public struct RecordingStatus: Sendable, Hashable {
    /// The channel.
    public var channel: Channel
    /// What it does.
    public var state: RecordingState
    /// Up to when it's recorded; nil where nothing is.
    public var edge: Date?
    /// The present by the stream's clock, which may differ from the recorder's: `now` and `-<seconds>` in requests for
    /// windows count from it.
    public var present: Date
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
