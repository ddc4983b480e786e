public import Foundation

/// A request to download an asset completely, with its progress and state.
public struct Download: Sendable, Hashable, Codable {
    private enum CodingKeys: String, CodingKey {
        case selection, headers, priority, added, endsAt, state, bytes, length
        case isLengthExact = "isLengthKnown"
        case parts, holes, holeCount, notes
    }

    /// The variant streams and renditions to download, for a stream.
    public var selection: StreamSelection
    /// Header fields for requests to the origin of the asset's URL, by name.
    public var headers: [String: String]
    /// The priority, from −1,000,000 to 1,000,000. Higher values run first; 0 by default.
    public var priority: Int
    /// The time at which the download was added. Downloads of equal priority run in this order.
    public var added: Date
    /// The time at which the recording of a live stream ends; nil means the end of the stream.
    public var endsAt: Date?
    /// The state.
    public var state = DownloadState.queued
    /// The number of cached bytes.
    public var bytes: Int64 = 0
    /// The length in bytes, exact or estimated; nil if unknown.
    public var length: Int64?
    /// Whether ``length`` is exact rather than estimated.
    public var isLengthExact = false
    /// The number of complete parts, and the total.
    public var parts = Parts()
    /// The parts that couldn't be fetched, and the gaps in a recording; at most ``DownloadHole/maximumListed``.
    public var holes: [DownloadHole] = []
    /// The number of parts that couldn't be fetched, and of gaps in a recording.
    public var holeCount = 0
    /// Remarks about the playlists and the received media, for example about removed wrappings or gaps.
    public var notes: [AssetContents.Note] = []

    /// Adds holes, except those already listed.
    mutating func add(_ more: [DownloadHole]) {
        let new = more.filter { !holes.contains($0) }
        holeCount += new.count
        holes += new.prefix(max(0, DownloadHole.maximumListed - holes.count))
    }

    /// The number of complete parts, and the total.
    public struct Parts: Sendable, Hashable, Codable {
        /// The number of complete parts.
        public var done: Int
        /// The total number of parts; 0 until it's known.
        public var total: Int

        /// Creates a count.
        public init(done: Int = 0, total: Int = 0) {
            self.done = done
            self.total = total
        }
    }

    /// Creates a queued download.
    public init(
        selection: StreamSelection = StreamSelection(), headers: [String: String] = [:], priority: Int = 0, added: Date
    ) {
        self.selection = selection
        self.headers = headers
        self.priority = priority
        self.added = added
    }
}

/// The state of a download.
public enum DownloadState: Sendable, Hashable, Codable {
    /// Waiting for its turn.
    case queued
    /// Fetching parts, or preparing to.
    case running
    /// Paused by the user.
    case paused
    /// Waiting until an obstacle no longer exists. The download then continues automatically.
    case waiting(DownloadObstacle)
    /// Ended without completing.
    case failed(DownloadFailure)
    /// Every part is complete and committed.
    case complete
    /// Ended with missing parts, listed in ``Download/holes``. All other parts are complete and committed.
    case completeWithHoles

    /// Whether the download has ended, so that only the user can continue it.
    public var isEnded: Bool {
        switch self {
        case .failed, .complete, .completeWithHoles: true
        case .queued, .running, .paused, .waiting: false
        }
    }

    /// Whether the download continues after a restart.
    var isActive: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused, .failed, .complete, .completeWithHoles: false
        }
    }
}

/// A condition that a download waits for.
public struct DownloadObstacle: Sendable, Hashable, Codable {
    /// The kinds of obstacles.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// No permitted network, or an origin that doesn't respond.
        case network
        /// Too little space on the disk or under the cache limit.
        case space
        /// A delay that the origin requested (`Retry-After`, RFC 9110 §10.2.3).
        case retryAfter
        /// No external power, power saving, or an overheated device.
        case power
        /// A time of day outside the permitted hours.
        case hours
        /// A suspended cache.
        case cache
        /// No process that continues downloads. This obstacle is never stored.
        case server
    }

    /// The kind of obstacle.
    public var kind: Kind
    /// A description for display.
    public var message: String
    /// The time at which the download is retried; nil if unknown.
    public var until: Date?

    /// Creates an obstacle.
    public init(_ kind: Kind, _ message: String, until: Date? = nil) {
        self.kind = kind
        self.message = message
        self.until = until
    }
}

/// The reason why a download failed.
public struct DownloadFailure: Sendable, Hashable, Codable {
    /// The code of the error (`CacheError.Code`), or `network` after too many waits for the network.
    public var code: String
    /// A description for display, one sentence.
    public var message: String
    /// Whether resuming the download may succeed.
    public var isRetryable: Bool

    /// Creates a failure.
    public init(code: String, message: String, isRetryable: Bool) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
    }
}

/// A part that couldn't be fetched, or a gap in a recording.
public struct DownloadHole: Sendable, Hashable, Codable {
    /// The maximum number of holes that are listed.
    public static let maximumListed = 10_000

    /// The URL of the part, or of the media playlist of a recording.
    public var url: String
    /// The role of the part: `file`, `key`, `initializationSection`, `mediaSegment` or `other`.
    public var role: String
    /// The start in seconds from the beginning of the asset.
    public var start: Double
    /// The duration in seconds; 0 for a part without a duration.
    public var duration: Double
    /// The reason why the part is missing, for display.
    public var reason: String
    /// Whether fetching the part again may succeed.
    public var isRetryable: Bool

    private enum CodingKeys: String, CodingKey {
        case url, role, start, duration, reason
        case isRetryable = "retryable"
    }

    /// Creates a hole.
    public init(url: String, role: String, start: Double, duration: Double, reason: String, isRetryable: Bool) {
        self.url = url
        self.role = role
        self.start = start
        self.duration = duration
        self.reason = reason
        self.isRetryable = isRetryable
    }
}
