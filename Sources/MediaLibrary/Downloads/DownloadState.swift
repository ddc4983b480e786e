public import Foundation

/// Where a download stands.
public enum DownloadState: Sendable, Hashable, Codable {
    /// It waits for its turn.
    case queued
    /// Bytes are being fetched, or are about to be.
    case running
    /// Somebody paused it.
    case paused
    /// It goes on by itself when what it waits for has come.
    case waiting(DownloadObstacle)
    /// It has ended, and isn't complete.
    case failed(DownloadFailure)
    /// Every byte that was wanted is here, and committed.
    case complete
    /// All that could be had is here, and committed; what couldn't is listed (``Download/holes``).
    case completeWithHoles

    /// Whether nothing more happens by itself.
    public var isEnded: Bool {
        switch self {
        case .failed, .complete, .completeWithHoles: true
        case .queued, .running, .paused, .waiting: false
        }
    }

    /// Whether it's to go on after a restart.
    var isWanted: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused, .failed, .complete, .completeWithHoles: false
        }
    }
}

/// What a download waits for.
public struct DownloadObstacle: Sendable, Hashable, Codable {
    /// What kind of thing that is.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A network, or one that may be used, or an origin that answers.
        case network
        /// Free bytes on the disk, or under the cache's limit.
        case space
        /// The moment that the origin named (`Retry-After`, RFC 9110 §10.2.3).
        case retryAfter
        /// Power from a charger, or less heat.
        case power
        /// The hours of the day in which it may run.
        case hours
        /// The cache itself, which is suspended.
        case cache
    }

    /// What kind of thing it waits for.
    public var kind: Kind
    /// In words.
    public var message: String
    /// When it tries again, where that is known.
    public var until: Date?

    /// Creates an obstacle.
    public init(_ kind: Kind, _ message: String, until: Date? = nil) {
        self.kind = kind
        self.message = message
        self.until = until
    }
}

/// Why a download ended without being complete.
public struct DownloadFailure: Sendable, Hashable, Codable {
    /// The engine's code (`CacheError.Code`), as `originStatus`.
    public var code: String
    /// One sentence for a person.
    public var message: String
    /// Whether trying again, later or as it is, can help.
    public var isRetryable: Bool

    /// Creates a failure.
    public init(code: String, message: String, isRetryable: Bool) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
    }
}

/// A part that couldn't be had.
public struct DownloadHole: Sendable, Hashable, Codable {
    /// How many are listed.
    public static let mostListed = 10_000

    /// The part's URL.
    public var url: String
    /// What it would have been: `file`, `key`, `initializationSection`, `mediaSegment` or `other`.
    public var role: String
    /// When it begins, in seconds from the beginning of the asset.
    public var start: Double
    /// How long it would have lasted in seconds; 0 for what has no time.
    public var duration: Double
    /// Why it isn't here, in words.
    public var reason: String
    /// Whether trying again can help.
    public var isRetryable: Bool

    private enum CodingKeys: String, CodingKey {
        case url, role, start, duration, reason
        case isRetryable = "retryable"
    }

    /// Creates a hole.
    public init(
        url: String, role: String, start: Double, duration: Double, reason: String, isRetryable: Bool
    ) {
        self.url = url
        self.role = role
        self.start = start
        self.duration = duration
        self.reason = reason
        self.isRetryable = isRetryable
    }
}
