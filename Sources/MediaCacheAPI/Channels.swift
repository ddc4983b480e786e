public import Foundation
internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// A channel and its recording, the response to `GET /api/v1/channels/<name>`.
public struct ChannelRecord: Codable, Sendable, Hashable {
    /// The state of a recording.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// The recording is stopped.
        case stopped
        /// The channel's playlists are being loaded.
        case starting
        /// Segments are being recorded.
        case recording
        /// No segments are available; `reason` is the cause. Recording continues with the next segment.
        case waiting
        /// The stream has ended, the recording's end time has passed, or the user ended the recording.
        case ended

        /// Creates the state of a recording.
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

    /// The channel's name.
    public var name: String
    /// The URL of its playlist, without user information.
    public var url: String
    /// The state of the recording.
    public var state: State
    /// The cause of the state `waiting`, or why a stopped channel can't be recorded: its URL isn't a stream. Null
    /// otherwise.
    public var reason: String?
    /// The live edge, up to which every track that receives segments is recorded, in milliseconds since 1970. Null
    /// before the first segment.
    public var edge: Int64?
    /// The current time of the stream's clock, in milliseconds since 1970. In requests, `now` and `-<seconds>` are
    /// relative to it. Null if the server is older than this field.
    public var now: Int64?
    /// The recorded time ranges, without gaps.
    public var recordedRanges: [TimeSpan]
    /// The size of all tracks in bytes.
    public var bytes: Int64
    /// The number of recorded segments of all tracks.
    public var segments: Int
    /// The number of gaps, of the track with the most. Consecutive lost segments, as after an outage, are one gap.
    public var gaps: Int
    /// The total duration of gaps in seconds, of the track with the most.
    public var gapSeconds: Double
    /// The recent rate of received data, in bytes per second.
    public var rate: Double
    /// The folders of the channel's tracks, such as `video-1`.
    public var tracks: [String]
    /// The limits on the recorded data.
    public var retention: Retention
    /// The time at which recording ends; null if it has no end time.
    public var endsAt: Date?
    /// The time the channel was added.
    public var created: Date
    /// The channel's programmes, which are exempt from retention.
    public var programmes: [ProgrammeRecord]
    /// The playback URL of the live edge.
    public var liveURL: String

    /// Creates the record of a channel.
    ///
    /// - Parameter base: The URL to which the channel's paths are appended, with a slash at the end.
    public init(_ status: RecordingStatus, base: String) {
        let channel = status.channel
        name = channel.name.rawValue
        url = channel.url
        state = State(status.state)
        reason = if case .waiting(let text) = status.state { text } else { status.failure }
        edge = status.edge.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        now = Int64((status.streamTime.timeIntervalSince1970 * 1000).rounded())
        let recordedRanges = status.recordedRanges.map { TimeSpan($0) }
        self.recordedRanges = recordedRanges
        bytes = status.bytes
        segments = status.segments
        gaps = status.gaps
        gapSeconds = status.gapSeconds
        rate = status.rate
        tracks = status.tracks
        retention = channel.retention
        endsAt = channel.endsAt
        created = channel.created
        programmes = channel.programmes.map { ProgrammeRecord($0, recordedRanges: recordedRanges, base: base) }
        liveURL = base + "index.m3u8"
    }
}

/// A time range.
public struct TimeSpan: Codable, Sendable, Hashable {
    /// The start, in milliseconds since 1970.
    public var from: Int64
    /// The end, in milliseconds since 1970.
    public var to: Int64

    /// Creates a time range.
    public init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }

    /// Creates the range of whole milliseconds within a range in nanoseconds since 1970, so that every reported time
    /// can be requested.
    package init(_ range: Range<Int64>) {
        let from = (range.lowerBound + 999_999) / 1_000_000
        self.init(from: from, to: max(from, range.upperBound / 1_000_000))
    }

    /// Creates the range of whole milliseconds within a range of dates.
    package init(_ range: Range<Date>) {
        // `nanosecondsSinceEpoch` rounds to microseconds, since dates aren't multiples of any unit.
        let (start, end) = (range.lowerBound.nanosecondsSinceEpoch, range.upperBound.nanosecondsSinceEpoch)
        self.init(start..<max(start, end))
    }
}

/// The response to `GET /api/v1/channels`.
public struct ChannelList: PagedList, Hashable {
    /// The channels, by name.
    public var channels: [ChannelRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(channels: [ChannelRecord], next: String? = nil) {
        self.channels = channels
        self.next = next
    }

    /// The items of the page.
    public var items: [ChannelRecord] { channels }
}

/// The body of `POST /api/v1/channels`: a live stream to record.
public struct ChannelAddition: Codable, Sendable, Hashable {
    /// The channel's name: 1 to 64 ASCII letters, digits, dots, hyphens and underscores, not beginning with a dot.
    public var name: String
    /// The URL of a multivariant or media playlist.
    public var url: String
    /// The variants to record, as in ``DownloadAddition/variant``. Null means `best`.
    public var variant: String?
    /// The audio renditions to record, as in ``DownloadAddition/audio``. Null means `all`.
    public var audio: String?
    /// The subtitles to record, as in ``DownloadAddition/audio``. Null means `all`.
    public var subtitles: String?
    /// Header fields for the URL's origin, by name. They are stored with the channel, and their values are never
    /// reported.
    public var headers: [String: String]?
    /// The limits on the recorded data. Null means no limits.
    public var retention: Retention?
    /// The time at which recording ends. Null means never.
    public var endsAt: Date?
    /// Whether recording ends when the stream ends. Null means yes.
    public var endsWithStream: Bool?
    /// Whether the channel is added without starting the recording. Null means no.
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

/// The body of `PATCH /api/v1/channels/<name>`. Null leaves a value unchanged.
public struct ChannelUpdate: Codable, Sendable, Hashable {
    /// A state that a recording can be set to.
    public enum State: String, Codable, Sendable, Hashable {
        /// The recording is started or resumed.
        case recording
        /// The recording is stopped; it can be resumed.
        case stopped
        /// The recording is ended and becomes an asset.
        case ended
    }

    /// The new state of the recording.
    public var state: State?
    /// The new limits on the recorded data.
    public var retention: Retention?

    /// Creates an update.
    public init(state: State? = nil, retention: Retention? = nil) {
        self.state = state
        self.retention = retention
    }
}

/// The segments of a channel, the response to `GET /api/v1/channels/<name>/timeline` and `gaps`.
public struct TimelineRecord: PagedList, Hashable {
    /// A segment.
    public struct Segment: Codable, Sendable, Hashable {
        /// The folder of the segment's track.
        public var track: String
        /// The media sequence number of the segment in all playlists.
        public var number: Int64
        /// The start of the segment, in milliseconds since 1970.
        public var start: Int64
        /// The duration of the segment in seconds.
        public var duration: Double
        /// Whether the segment is a gap.
        public var gap: Bool
        /// Whether the segment follows a discontinuity.
        public var discontinuity: Bool
        /// The size of the segment in bytes.
        public var bytes: Int64

        /// Creates a segment.
        public init(
            track: String, number: Int64, start: Int64, duration: Double, gap: Bool, discontinuity: Bool, bytes: Int64
        ) {
            self.track = track
            self.number = number
            self.start = start
            self.duration = duration
            self.gap = gap
            self.discontinuity = discontinuity
            self.bytes = bytes
        }
    }

    /// The segments, by track and time; at most 10,000.
    public var segments: [Segment]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a page of a timeline.
    public init(segments: [Segment], next: String? = nil) {
        self.segments = segments
        self.next = next
    }

    /// The items of the page.
    public var items: [Segment] { segments }
}

extension ChannelRecord {
    /// Whether the channel is being recorded, or waits for its stream.
    public var isRunning: Bool {
        switch state {
        case .starting, .recording, .waiting: true
        case .stopped, .ended: false
        }
    }
}

extension APIClient {
    static let channelsPath = "/api/v1/channels"

    /// Returns all channels, by name.
    public func channels() async throws -> [ChannelRecord] {
        try await all(ChannelList.self, Self.channelsPath)
    }

    /// Returns a channel.
    public func channel(_ name: ChannelName) async throws -> ChannelRecord {
        try await call(.get, "\(Self.channelsPath)/\(name)")
    }

    /// Returns a channel; nil if there is none.
    public func channelIfFound(_ name: ChannelName) async throws -> ChannelRecord? {
        try await callIfFound(.get, "\(Self.channelsPath)/\(name)")
    }

    /// Returns the URL of a channel's window, in milliseconds since 1970, at the server's own address, without a token.
    /// The response is 404 if the window starts outside the recorded ranges.
    public func liveURL(of name: ChannelName, from: Int64, to: Int64) -> String {
        "\(liveURL(of: name))index.m3u8?begintime=\(from)&endtime=\(to)&strict=1"
    }

    /// Returns the URL to which the names of a channel's playlists and parts are appended, at the server's own address,
    /// without a token.
    public func liveURL(of name: ChannelName) -> String { "\(address)/live/\(name)/" }

    /// Adds a channel. If a channel with this name and URL exists, updates its settings and resumes its recording,
    /// unless ``ChannelAddition/stopped`` is set. Any user information in `url` is sent to the server; the URL of
    /// `addition` is ignored.
    ///
    /// - Throws: ``Problem`` with status 409 if the existing channel has another URL or selection or has ended.
    public func addChannel(of url: ResourceURL, _ addition: ChannelAddition) async throws -> ChannelRecord {
        var addition = addition
        addition.url = Self.text(of: url)
        return try await call(.post, Self.channelsPath, content: try .json(addition))
    }

    /// Changes the state or the limits of a channel's recording.
    @discardableResult
    public func updateChannel(_ name: ChannelName, _ update: ChannelUpdate) async throws -> ChannelRecord {
        try await call(.patch, "\(Self.channelsPath)/\(name)", content: try .json(update))
    }

    /// Removes a channel and its recorded data. If the recording has become an asset, the asset and its data remain.
    public func removeChannel(_ name: ChannelName) async throws {
        try await send(.delete, "\(Self.channelsPath)/\(name)")
    }

    /// Returns the segments of a channel, including gaps, by track and time.
    ///
    /// - Parameters:
    ///   - from: The start of the range, in milliseconds since 1970; nil for one hour before `to` or, if that is nil,
    ///     before the current time of the stream's clock.
    ///   - to: The end of the range, in milliseconds since 1970; nil for the end of the recorded range.
    public func timeline(
        of name: ChannelName, from: Int64? = nil, to: Int64? = nil
    ) async throws -> [TimelineRecord.Segment] {
        let items = [from.map { "from=\($0)" }, to.map { "to=\($0)" }].compactMap { $0 }
        let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
        return try await all(TimelineRecord.self, "\(Self.channelsPath)/\(name)/timeline\(query)")
    }

    /// Returns the gaps of a channel, by track and time.
    public func gaps(of name: ChannelName) async throws -> [TimelineRecord.Segment] {
        try await all(TimelineRecord.self, "\(Self.channelsPath)/\(name)/gaps")
    }
}
