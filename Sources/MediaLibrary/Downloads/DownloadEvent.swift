/// Something that happened to a download. See ``Downloads/events()``.
public enum DownloadEvent: Sendable {
    /// It was asked for.
    case added(AssetID)
    /// It stands elsewhere now.
    case state(AssetID, DownloadState)
    /// How far it is; coalesced to a few a second for each.
    case progress(AssetID, DownloadProgress)
    /// A part is about to be fetched.
    case partStarted(AssetID, name: String)
    /// A part is here.
    case partDone(AssetID, name: String, bytes: Int64)
    /// A part couldn't be had, for now.
    case partFailed(AssetID, name: String, reason: String)
    /// It's no asset any more.
    case removed(AssetID)
    /// So many events before this one were dropped, since they weren't read in time.
    case dropped(count: Int)
}

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable, Codable {
    /// Bytes that are here.
    public var bytes: Int64
    /// Its length in bytes; see ``Download/length``.
    public var length: Int64?
    /// Whether ``length`` is known, and no estimate.
    public var isLengthKnown: Bool
    /// Parts that are here, and all there are.
    public var parts: Download.Parts
    /// The rate over the last seconds, in bytes per second.
    public var rate: Double
    /// How many seconds of it play from its beginning without waiting.
    public var secondsReady: Double

    /// Creates a report.
    public init(
        bytes: Int64, length: Int64?, isLengthKnown: Bool, parts: Download.Parts, rate: Double, secondsReady: Double
    ) {
        self.bytes = bytes
        self.length = length
        self.isLengthKnown = isLengthKnown
        self.parts = parts
        self.rate = rate
        self.secondsReady = secondsReady
    }
}
