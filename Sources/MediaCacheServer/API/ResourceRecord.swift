public import Foundation
public import MediaCache
public import MediaLibrary

/// One kept resource, as `GET /api/v1/resources/<id>` gives it.
public struct ResourceRecord: Codable, Sendable, Hashable, Identifiable {
    /// The resource's number, stable while it is kept.
    public var id: Int64
    /// The URL it was last asked for, without user information.
    public var url: String
    /// What the key policy calls the resource: its URL, less what isn't part of its identity.
    public var key: String
    /// Whether it came by credentials, and is one user's; whose isn't told.
    public var withCredentials: Bool
    /// The media type that players are given.
    public var type: String
    /// The container in a word, as file extensions name it: `mp4`, `mp3`, `m3u8`; `bin` if it isn't known.
    public var format: String
    /// The complete length in bytes, or null while it isn't known.
    public var length: Int64?
    /// The runs of bytes that are here, in order.
    public var spans: [ByteSpan]
    /// The runs of bytes that are being fetched, in order.
    public var fills: [ByteSpan]
    /// How many bytes are here, over all kept versions.
    public var bytesCached: Int64
    /// How often it was read.
    public var hits: Int64
    /// When it was first kept.
    public var created: Date
    /// When it was last read.
    public var lastUsed: Date
    /// Whether every byte is here.
    public var complete: Bool
    /// Whether eviction leaves it alone.
    public var pinned: Bool
    /// Whether someone reads or fills it.
    public var inUse: Bool
    /// The path of the complete resource as a file on the owner's machine; null while partial.
    public var localFile: String?
    /// How much of the HLS stream is kept, where the resource is its playlist and is asked about alone; else null.
    public var stream: StreamStatus?

    /// The record of what a store says of a resource.
    public init(_ info: ResourceInfo) {
        id = info.id
        url = info.url
        key = info.name
        withCredentials = info.identity != nil
        type = info.contentType
        format = MediaFormat.name(contentType: info.contentType, url: info.url)
        length = info.length
        spans = info.spans.map { ByteSpan($0) }
        fills = info.fills.map { ByteSpan($0) }
        bytesCached = info.bytesKept
        hits = info.hits
        created = info.created
        lastUsed = info.lastUsed
        complete = info.isComplete
        pinned = info.isPinned
        inUse = info.isInUse
        localFile = nil
    }
}
