/// Something that happened, as `GET /api/v1/events` tells it: the `data` of a server-sent event, whose `event` says what
/// it is. What makes no sense for that is null.
public struct EventRecord: Codable, Sendable, Hashable {
    /// What may happen.
    public enum Name: String, Codable, Sendable, Hashable, CaseIterable {
        /// There is another asset: `asset`.
        case assetAdded = "asset.added"
        /// An asset's title, its cover, or what is known of its film is another: `asset`.
        case assetChanged = "asset.changed"
        /// An asset is no more: `asset`.
        case assetRemoved = "asset.removed"
        /// An asset was asked for: `asset`.
        case downloadAdded = "download.added"
        /// A download stands elsewhere now: `asset`, `state`, `reason`.
        case downloadState = "download.state"
        /// How far a download is, a few times a second at most: `asset`, `bytes`, `length`, `lengthKnown`, `partsDone`,
        /// `parts`, `rate`, `secondsReady`.
        case downloadProgress = "download.progress"
        /// A part is about to be fetched: `asset`, `part`.
        case partStarted = "part.started"
        /// A part is here: `asset`, `part`, `bytes`.
        case partDone = "part.done"
        /// A part couldn't be had, for now: `asset`, `part`, `message`.
        case partFailed = "part.failed"
        /// A download is no more: `asset`.
        case downloadRemoved = "download.removed"
        /// How much is kept of a resource, a few times a second at most: `resource`, `bytes`, `length`, `rate`.
        case resourceProgress = "resource.progress"
        /// The origin has another version of a resource: `resource`.
        case resourceChanged = "resource.changed"
        /// Bytes were given up to keep a limit: `resource`, `bytes`.
        case resourceEvicted = "resource.evicted"
        /// An origin request failed: `resource`, `message`.
        case resourceFailed = "resource.failed"
        /// Bytes on disk were not what was written; they will be fetched again: `resource`.
        case resourceDamaged = "resource.damaged"
        /// What is kept was served though the origin couldn't be asked: `resource`, `message`.
        case resourceStale = "resource.stale"
        /// A channel's state has changed: `channel`, `channelState`, `message`.
        case channelState = "channel.state"
        /// A segment is recorded: `channel`, `track`, `start`, `duration`, `bytes`.
        case channelSegment = "channel.segment"
        /// Something of a channel was lost, or never was: `channel`, `track`, `start`, `duration`, `message`.
        case channelGap = "channel.gap"
        /// Segments of a channel were given up to keep within a limit: `channel`, `count`, `bytes`.
        case channelPruned = "channel.pruned"
        /// An export of a programme stands elsewhere now, or is further, a few times a second at most: `channel`,
        /// `programme`, `format`, `exportState`, `progress`, `bytes`, `count` (missing segments), `message`.
        case channelExport = "channel.export"
        /// A channel was deleted: `channel`.
        case channelRemoved = "channel.removed"
        /// The folder can't take bytes, or its catalog had to be made anew: `message`.
        case storageFailed = "storage.failed"
        /// So many events before this one were dropped, since they weren't read in time: `count`.
        case dropped
    }

    /// What happened.
    public var event: Name
    /// The asset's name.
    public var asset: String?
    /// Where its download stands now.
    public var state: DownloadRecord.State?
    /// What it waits for, or why it failed.
    public var reason: DownloadRecord.Reason?
    /// A part's path within the asset.
    public var part: String?
    /// What the key policy calls a resource.
    public var resource: String?
    /// How many bytes.
    public var bytes: Int64?
    /// The length in bytes: of a resource once known, of an asset known or estimated.
    public var length: Int64?
    /// Whether an asset's length is known, and no estimate.
    public var lengthKnown: Bool?
    /// Parts of an asset that are here.
    public var partsDone: Int?
    /// All parts of an asset.
    public var parts: Int?
    /// The rate over the last seconds, in bytes per second.
    public var rate: Double?
    /// How many seconds of an asset play from its beginning without waiting.
    public var secondsReady: Double?
    /// Why, in one sentence.
    public var message: String?
    /// A channel's name.
    public var channel: String?
    /// What its recording does now.
    public var channelState: ChannelRecord.State?
    /// The ID of one of its programmes.
    public var programme: String?
    /// What that is exported as.
    public var format: String?
    /// Where the export stands now.
    public var exportState: ExportRecord.State?
    /// How much of it is made, from 0 to 1.
    public var progress: Double?
    /// One of its tracks.
    public var track: String?
    /// When something begins, in milliseconds since 1970.
    public var start: Int64?
    /// How long it lasts in seconds.
    public var duration: Double?
    /// How many.
    public var count: Int?

    /// An event of an asset, of a resource or of neither.
    public init(_ event: Name, asset: String? = nil, resource: String? = nil) {
        self.event = event
        self.asset = asset
        self.resource = resource
    }
}
