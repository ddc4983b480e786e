/// An event of a download; see ``Downloads/events()``.
public enum DownloadEvent: Sendable {
    /// A download was added.
    case added(AssetID)
    /// The state of a download changed.
    case state(AssetID, DownloadState)
    /// A download progressed. Events are sent at most a few times a second for each download.
    case progress(AssetID, DownloadProgress)
    /// A player can begin to play the asset without waiting: of a stream, the first segments of all playlists are
    /// cached; of a file, the index and the beginning of the media. Sent once in each run of a download.
    case playable(AssetID)
    /// The download began to fetch a part.
    case partStarted(AssetID, name: String)
    /// A part was completed.
    case partDone(AssetID, name: String, bytes: Int64)
    /// A part couldn't be fetched. It may be retried later.
    case partFailed(AssetID, name: String, reason: String)
    /// A download was removed.
    case removed(AssetID)
    /// Events were dropped because they weren't read in time.
    case dropped(count: Int)
}

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable, Codable {
    /// The number of cached bytes.
    public var bytes: Int64
    /// The length in bytes; see ``Download/length``.
    public var length: Int64?
    /// Whether ``length`` is exact rather than estimated.
    public var isLengthExact: Bool
    /// The number of complete parts, and the total.
    public var parts: Download.Parts
    /// The transfer rate over the last seconds, in bytes per second.
    public var rate: Double
    /// The number of seconds from the beginning that can be played without waiting for data.
    public var secondsReady: Double

    /// Creates a progress value.
    public init(
        bytes: Int64, length: Int64?, isLengthExact: Bool, parts: Download.Parts, rate: Double, secondsReady: Double
    ) {
        self.bytes = bytes
        self.length = length
        self.isLengthExact = isLengthExact
        self.parts = parts
        self.rate = rate
        self.secondsReady = secondsReady
    }
}
