internal import Foundation
internal import HTTPTypes
internal import MediaCache

/// An event from `GET /api/v1/events`: the `data` of a server-sent event whose `event` field is the name. Fields that
/// don't apply to the event are null.
public struct EventRecord: Codable, Sendable, Hashable {
    /// The name of an event. The comment of each name lists the fields that are set.
    public enum Name: String, Codable, Sendable, Hashable, CaseIterable {
        /// An asset was added: `asset`.
        case assetAdded = "asset.added"
        /// An asset's title, cover or media information changed: `asset`.
        case assetChanged = "asset.changed"
        /// An asset was removed: `asset`.
        case assetRemoved = "asset.removed"
        /// A download was added: `asset`.
        case downloadAdded = "download.added"
        /// A download's state changed: `asset`, `state`, `reason`.
        case downloadState = "download.state"
        /// A download progressed; sent at most a few times a second: `asset`, `bytes`, `length`, `isLengthExact`,
        /// `partsDone`, `parts`, `rate`, `secondsReady`.
        case downloadProgress = "download.progress"
        /// A player can begin to play the asset without waiting for data: `asset`.
        case downloadPlayable = "download.playable"
        /// The transfer of a part started: `asset`, `part`.
        case partStarted = "part.started"
        /// A part is complete: `asset`, `part`, `bytes`.
        case partDone = "part.done"
        /// The transfer of a part failed temporarily: `asset`, `part`, `message`.
        case partFailed = "part.failed"
        /// A download was removed: `asset`.
        case downloadRemoved = "download.removed"
        /// The cached amount of a resource changed; sent at most a few times a second: `resource`, `bytes`, `length`,
        /// `rate`.
        case resourceProgress = "resource.progress"
        /// The origin has another version of a resource: `resource`.
        case resourceChanged = "resource.changed"
        /// Bytes were evicted: `resource`, `bytes`.
        case resourceEvicted = "resource.evicted"
        /// An origin request failed: `resource`, `bytes` (received before the failure), `message`.
        case resourceFailed = "resource.failed"
        /// Damaged bytes were found on disk and will be refetched: `resource`.
        case resourceDamaged = "resource.damaged"
        /// Cached bytes were served without revalidation because the origin was unreachable: `resource`, `message`.
        case resourceStale = "resource.stale"
        /// A channel's state changed: `channel`, `channelState`, `message`.
        case channelState = "channel.state"
        /// A segment was recorded: `channel`, `track`, `start`, `duration`, `bytes`.
        case channelSegment = "channel.segment"
        /// A channel has a gap: `channel`, `track`, `start`, `duration`, `message`.
        case channelGap = "channel.gap"
        /// Retention removed segments of a channel: `channel`, `count`, `bytes`.
        case channelPruned = "channel.pruned"
        /// The state or progress of a programme's export changed; sent at most a few times a second: `channel`,
        /// `programme`, `format`, `exportState`, `progress`, `bytes`, `count` (missing segments), `message`.
        case channelExport = "channel.export"
        /// A channel was removed: `channel`.
        case channelRemoved = "channel.removed"
        /// The cache folder can't be written: `message`.
        case storageFailed = "storage.failed"
        /// The catalog of the cache folder was damaged, and has been set aside and rebuilt: `message`.
        case catalogReplaced = "catalog.replaced"
        /// Events before this one were dropped because the client read too slowly: `count`.
        case dropped
    }

    /// The event's name.
    public var event: Name
    /// The asset's ID.
    public var asset: String?
    /// The new state of the download.
    public var state: DownloadRecord.State?
    /// The obstacle that the download is waiting for, or the cause of its failure.
    public var reason: DownloadRecord.Reason?
    /// The part's path within the asset.
    public var part: String?
    /// The resource's cache key.
    public var resource: String?
    /// The number of bytes.
    public var bytes: Int64?
    /// The length in bytes: exact for a resource, exact or estimated for an asset. Null if unknown.
    public var length: Int64?
    /// Whether an asset's length is exact.
    public var isLengthExact: Bool?
    /// The number of the asset's complete parts.
    public var partsDone: Int?
    /// The total number of the asset's parts.
    public var parts: Int?
    /// The recent rate, in bytes per second.
    public var rate: Double?
    /// The number of seconds of the asset that can be played from the beginning without waiting.
    public var secondsReady: Double?
    /// The cause, in one sentence.
    public var message: String?
    /// The channel's name.
    public var channel: String?
    /// The new state of the channel's recording.
    public var channelState: ChannelRecord.State?
    /// The programme's ID.
    public var programme: String?
    /// The export's format.
    public var format: String?
    /// The new state of the export.
    public var exportState: ExportRecord.State?
    /// The completed fraction of the export, from 0 to 1.
    public var progress: Double?
    /// The track's folder.
    public var track: String?
    /// The start of the segment or gap, in milliseconds since 1970.
    public var start: Int64?
    /// The duration of the segment or gap in seconds.
    public var duration: Double?
    /// The number of removed or missing segments, or of dropped events.
    public var count: Int?

    /// Creates an event, optionally of an asset or a resource.
    public init(_ event: Name, asset: String? = nil, resource: String? = nil) {
        self.event = event
        self.asset = asset
        self.resource = resource
    }
}

extension APIClient {
    /// The maximum length of a line in bytes.
    private static let maximumLineLength = 1 << 20

    /// Receives the server's events, starting with the next one, until the server stops or its key is replaced.
    ///
    /// - Parameter body: Called with each event; the next event isn't read until it returns.
    /// - Throws: ``Problem``, ``APIClientError``, `CancellationError`, and the errors of `body`.
    public func events(_ body: (EventRecord) async throws -> Void) async throws {
        var request = try request(.get, address + "/api/v1/events")
        request.headerFields[.authorization] = "Bearer \(key.value)"
        request.headerFields[.accept] = "text/event-stream"
        let response = try await respond(to: request)
        guard response.status == 200 else {
            throw failure(
                response, try await content(of: response, limit: Self.maximumLineLength), of: "GET /api/v1/events")
        }
        defer { response.body.cancel() }
        var line: [UInt8] = []
        while let bytes = try await nextBytes(of: response.body) {
            for byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                defer { line.removeAll(keepingCapacity: true) }
                if let record = try event(in: line) { try await body(record) }
            }
            guard line.count <= Self.maximumLineLength else {
                throw APIClientError.unexpectedResponse("GET /api/v1/events", address: address, cause: nil)
            }
        }
    }

    /// Returns the event in a data line; nil for any other line. The server sends the data of an event in one line.
    private func event(in line: [UInt8]) throws -> EventRecord? {
        let field = Array("data: ".utf8)
        guard line.starts(with: field) else { return nil }
        do {
            return try APICoding.makeDecoder().decode(EventRecord.self, from: Data(line.dropFirst(field.count)))
        } catch {
            throw APIClientError.unexpectedResponse("GET /api/v1/events", address: address, cause: error)
        }
    }
}
