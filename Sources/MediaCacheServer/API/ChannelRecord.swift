public import Foundation
public import MediaLibrary

/// A channel and its recording, as `GET /api/v1/channels/<name>` gives it.
public struct ChannelRecord: Codable, Sendable, Hashable {
    /// What a recording does.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// Nobody wants it recorded at the moment.
        case stopped
        /// Its playlists are looked for.
        case starting
        /// It records.
        case recording
        /// Nothing comes; `reason` says why. It goes on when something does.
        case waiting
        /// Its stream has ended, or its time is over.
        case ended

        /// The state of a recording.
        public init(_ state: RecordingState) {
            switch state {
            case .stopped: self = .stopped
            case .starting: self = .starting
            case .recording: self = .recording
            case .waiting: self = .waiting
            case .ended: self = .ended
            }
        }
    }

    /// What people call it.
    public var name: String
    /// The URL of its playlist, without user information.
    public var url: String
    /// What its recording does.
    public var state: State
    /// Why nothing comes; else null.
    public var reason: String?
    /// Up to when it's recorded, in milliseconds since 1970; null where nothing is.
    public var edge: Int64?
    /// The present by the stream's clock, in milliseconds since 1970: `now` and `-<seconds>` in requests count from it. Null
    /// from servers of earlier versions.
    public var now: Int64?
    /// Of which stretches of time something is kept.
    public var kept: [TimeSpan]
    /// How many bytes are kept of all tracks.
    public var bytes: Int64
    /// How many segments are kept of all tracks.
    public var segments: Int
    /// How many segments are gaps.
    public var gaps: Int
    /// How many seconds are lost, on the track that lost most.
    public var gapSeconds: Double
    /// How many bytes came in a second lately.
    public var rate: Double
    /// The folders of its tracks, as `video-1`.
    public var tracks: [String]
    /// How much of it is kept.
    public var retention: Retention
    /// When recording is to end; null for no such time.
    public var endsAt: Date?
    /// When it was made.
    public var created: Date
    /// Windows that are kept whatever `retention` says.
    public var programmes: [ProgrammeRecord]
    /// What a player is given for the live edge.
    public var liveURL: String

    /// The record of a channel.
    ///
    /// - Parameters:
    ///   - status: the channel at a moment.
    ///   - base: what its paths stand behind, with a slash at its end.
    public init(_ status: RecordingStatus, base: String) {
        let channel = status.channel
        name = channel.name.rawValue
        url = channel.url
        state = State(status.state)
        if case .waiting(let text) = status.state { reason = text }
        edge = status.edge.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        now = Int64((status.present.timeIntervalSince1970 * 1000).rounded())
        let kept = status.kept.map { TimeSpan($0) }
        self.kept = kept
        bytes = status.bytes
        segments = status.segments
        gaps = status.gaps
        gapSeconds = status.gapSeconds
        rate = status.rate
        tracks = status.tracks
        retention = channel.retention
        endsAt = channel.endsAt
        created = channel.created
        programmes = channel.programmes.map { ProgrammeRecord($0, kept: kept, base: base) }
        liveURL = base + "index.m3u8"
    }
}
