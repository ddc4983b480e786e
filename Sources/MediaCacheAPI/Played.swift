public import Foundation
internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// A title that was played and isn't in the library, the response to `GET /api/v1/played/<id>`. A stream is one title.
public struct PlayedRecord: Codable, Sendable, Hashable, Identifiable {
    /// The ID of the resource with which the title is played: the file or the playlist. If only parts are cached, it is
    /// the ID of the most recently used part.
    public var id: Int64
    /// The kind of title.
    public var kind: PlayedTitle.Kind
    /// The URL with which the title is played. If only parts are cached, it is the URL of their folder.
    public var url: String
    /// The number of cached bytes.
    public var bytes: Int64
    /// The number of resources.
    public var count: Int
    /// The time at which any of the title's resources was last read.
    public var lastUsed: Date
    /// Whether any of the title's resources is being read or filled.
    public var inUse: Bool
    /// The length of a file in bytes; null if not known yet, and for other kinds.
    public var length: Int64?
    /// The cached spans of a file, in order; empty for other kinds.
    public var spans: [ByteSpan]
    /// The ranges of a file that are being fetched, in order; empty for other kinds.
    public var fills: [ByteSpan]
    /// The number of segments of the stream's most complete variant; 0 for other kinds.
    public var segments: Int
    /// The number of complete segments of that variant; 0 for other kinds.
    public var segmentsCached: Int

    /// Creates the record of a title.
    public init(_ title: PlayedTitle) {
        let file = title.kind == .file ? title.main : nil
        id = title.main.id
        kind = title.kind
        url = title.kind == .parts ? title.main.folder : title.main.url
        bytes = title.bytesCached
        count = title.resources.count
        lastUsed = title.lastUsed
        inUse = title.isInUse
        length = file?.length
        spans = file?.spans.map { ByteSpan($0) } ?? []
        fills = file?.fills.map { ByteSpan($0) } ?? []
        segments = title.segments
        segmentsCached = title.segmentsCached
    }
}

/// The response to `GET /api/v1/played`.
public struct PlayedList: PagedList, Hashable {
    /// The played titles, most recently used first.
    public var played: [PlayedRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(played: [PlayedRecord], next: String? = nil) {
        self.played = played
        self.next = next
    }

    /// The items of the page.
    public var items: [PlayedRecord] { played }
}

extension APIClient {
    /// Returns the titles that were played and aren't in the library, most recently used first.
    public func played() async throws -> [PlayedRecord] { try await all(PlayedList.self, "/api/v1/played") }

    /// Removes a played title with all its resources. A resource in use is removed when its last reader is done.
    public func removePlayed(id: Int64) async throws -> [Removal] {
        try await (call(.delete, "/api/v1/played/\(id)") as RemovalList).removed
    }
}
