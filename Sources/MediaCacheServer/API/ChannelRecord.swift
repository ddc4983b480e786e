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
        kept = status.kept.map { TimeSpan($0) }
        bytes = status.bytes
        segments = status.segments
        gaps = status.gaps
        gapSeconds = status.gapSeconds
        rate = status.rate
        tracks = status.tracks
        retention = channel.retention
        endsAt = channel.endsAt
        created = channel.created
        programmes = channel.programmes.map { ProgrammeRecord($0, base: base) }
        liveURL = base + "index.m3u8"
    }
}

/// A window that is kept, as the API gives it.
public struct ProgrammeRecord: Codable, Sendable, Hashable {
    /// What it's called in URLs.
    public var id: String
    /// What people call it.
    public var name: String
    /// When it begins, in milliseconds since 1970.
    public var from: Int64
    /// When it's over, in milliseconds since 1970.
    public var to: Int64
    /// Where it plays.
    public var playlistURL: String
    /// Where it is as one MP4, when it's over.
    public var movieURL: String

    /// The record of a programme.
    public init(_ programme: Programme, base: String) {
        let span = TimeSpan(programme.from..<max(programme.from, programme.to))
        id = programme.id
        name = programme.name
        (from, to) = (span.from, span.to)
        playlistURL = "\(base)index.m3u8?begintime=\(from)&endtime=\(to)"
        movieURL = "\(base)\(from)-\(to).mp4"
    }
}

/// What `GET /api/v1/channels` gives.
public struct ChannelList: Codable, Sendable, Hashable {
    /// All channels, by name.
    public var channels: [ChannelRecord]
}

/// What `GET /api/v1/channels/<name>/timeline` and `gaps` give.
public struct TimelineRecord: Codable, Sendable, Hashable {
    /// A segment.
    public struct Segment: Codable, Sendable, Hashable {
        /// Its track's folder.
        public var track: String
        /// Its media sequence number in all playlists.
        public var number: Int64
        /// When it begins, in milliseconds since 1970.
        public var start: Int64
        /// How long it lasts in seconds.
        public var duration: Double
        /// Whether it's absent.
        public var gap: Bool
        /// Whether a discontinuity stands before it.
        public var discontinuity: Bool
        /// How many bytes it has.
        public var bytes: Int64
    }

    /// The segments, by track and time.
    public var segments: [Segment]
}

/// The body of `POST /api/v1/channels`: record a live stream.
public struct ChannelAddition: Codable, Sendable, Hashable {
    /// What to call it: 1 to 64 letters, digits, dots, hyphens and underscores, the first no dot.
    public var name: String
    /// The URL of a multivariant or media playlist.
    public var url: String
    /// Which variant streams; as for downloads. Null is `best`.
    public var variant: String?
    /// Which sound; as for downloads. Null is `all`.
    public var audio: String?
    /// Which subtitles; as for downloads. Null is `all`.
    public var subtitles: String?
    /// Header fields for the URL's origin, by name. They are kept with the channel, and never told again.
    public var headers: [String: String]?
    /// How much of it is kept. Null is all.
    public var retention: Retention?
    /// When recording is to end. Null is never.
    public var endsAt: Date?
    /// Whether a stream that ends ends the recording. Null is yes.
    public var endsWithStream: Bool?
    /// Whether it waits until somebody starts it.
    public var stopped: Bool?

    /// Creates a request.
    public init(
        name: String, url: String, variant: String? = nil, audio: String? = nil, subtitles: String? = nil,
        headers: [String: String]? = nil, retention: Retention? = nil, endsAt: Date? = nil,
        endsWithStream: Bool? = nil, stopped: Bool? = nil
    ) {
        self.name = name
        self.url = url
        self.variant = variant
        self.audio = audio
        self.subtitles = subtitles
        self.headers = headers
        self.retention = retention
        self.endsAt = endsAt
        self.endsWithStream = endsWithStream
        self.stopped = stopped
    }
}

/// The body of `PATCH /api/v1/channels/<name>`; what is null stays.
public struct ChannelUpdate: Codable, Sendable, Hashable {
    /// What may be wanted of a recording.
    public enum State: String, Codable, Sendable, Hashable {
        /// That it goes on.
        case recording
        /// That it rests.
        case stopped
        /// That it's over, and becomes an asset.
        case ended
    }

    /// What is wanted of its recording.
    public var state: State?
    /// How much of it is kept.
    public var retention: Retention?

    /// Creates an update.
    public init(state: State? = nil, retention: Retention? = nil) {
        self.state = state
        self.retention = retention
    }
}

/// The body of `POST /api/v1/channels/<name>/programmes`: keep a window.
public struct ProgrammeAddition: Codable, Sendable, Hashable {
    /// What to call it.
    public var name: String
    /// When it begins: as in a window's URL, milliseconds or seconds since 1970, ISO 8601, or seconds ago.
    public var from: String
    /// When it's over, likewise.
    public var to: String

    /// Creates a request.
    public init(name: String, from: String, to: String) {
        self.name = name
        self.from = from
        self.to = to
    }
}
