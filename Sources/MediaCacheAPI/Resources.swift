public import Foundation
internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// A cached resource, the response to `GET /api/v1/resources/<id>`.
public struct ResourceRecord: Codable, Sendable, Hashable, Identifiable {
    /// The resource's ID, which is stable while the resource is cached.
    public var id: Int64
    /// The most recently requested URL, without user information.
    public var url: String
    /// The cache key: the URL after application of the key policy.
    public var key: String
    /// Whether the resource was fetched with credentials and belongs to one user. The user isn't reported.
    public var withCredentials: Bool
    /// The media type that players receive.
    public var type: String
    /// The container, as a file extension such as `mp4`, `mp3` or `m3u8`; `bin` if unknown.
    public var format: String
    /// The complete length in bytes; null if not known yet.
    public var length: Int64?
    /// The cached spans, in order.
    public var spans: [ByteSpan]
    /// The ranges that are being fetched, in order.
    public var fills: [ByteSpan]
    /// The number of bytes in `spans`.
    public var bytesCached: Int64
    /// The number of reads.
    public var hits: Int64
    /// The time the resource was first cached.
    public var created: Date
    /// The time the resource was last read.
    public var lastUsed: Date
    /// Whether every byte is cached.
    public var complete: Bool
    /// Whether the resource is protected from eviction.
    public var pinned: Bool
    /// Whether the resource is being read or filled.
    public var inUse: Bool
    /// The path of the complete resource as a file on the server's machine; null if the resource is partial or the path
    /// wasn't requested.
    ///
    /// The server doesn't hold the file after its response. The path may become invalid when the resource is evicted,
    /// removed, replaced by another version, pinned or unpinned. To protect the file from eviction, pin the resource
    /// before requesting the path.
    public var localFile: String?
    /// The cached amount of the HLS stream, if the resource is its playlist and was requested individually; otherwise
    /// null.
    public var stream: StreamStatus?

    /// Creates the record of a resource.
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
        bytesCached = info.bytesCached
        hits = info.hits
        created = info.created
        lastUsed = info.lastUsed
        complete = info.isComplete
        pinned = info.isPinned
        inUse = info.isInUse
        localFile = nil
    }
}

extension ResourceRecord {
    /// The missing ranges of the resource; empty if its length is unknown.
    public var holes: [ClosedRange<Int64>] {
        guard let length else { return [] }
        let cached = RangeSet(spans.map { $0.start..<$0.end })
        return RangeSet(0..<length).subtracting(cached).ranges.map { $0.lowerBound...$0.upperBound - 1 }
    }
}

/// A range of bytes, from `start` up to but not including `end`.
public struct ByteSpan: Codable, Sendable, Hashable {
    /// The offset of the first byte.
    public var start: Int64
    /// The offset after the last byte.
    public var end: Int64

    /// Creates a span.
    public init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    init(_ range: Range<Int64>) { self.init(start: range.lowerBound, end: range.upperBound) }
}

/// The response to `GET /api/v1/resources`.
public struct ResourceList: PagedList, Hashable {
    /// The resources, most recently used first.
    public var resources: [ResourceRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(resources: [ResourceRecord], next: String? = nil) {
        self.resources = resources
        self.next = next
    }

    /// The items of the page.
    public var items: [ResourceRecord] { resources }
}

/// The response to a `DELETE` of resources or of a played title.
public struct RemovalList: Codable, Sendable, Hashable {
    /// The resources that were removed, or will be when their last readers are done.
    public var removed: [Removal]

    /// Creates a list.
    public init(removed: [Removal]) { self.removed = removed }
}

/// The short names of containers.
enum MediaFormat {
    /// Returns the short name of a media type, or otherwise the extension of the URL, or `bin` if it has none.
    static func name(contentType: String, url: String) -> String {
        let type = contentType.prefix { $0 != ";" }.lowercased()
        if let name = names[type] { return name }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return "bin" }
        let suffix = file[file.index(after: dot)...]
        guard (1...5).contains(suffix.utf8.count), suffix.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return "bin"
        }
        return suffix.lowercased()
    }

    private static let names = [
        "video/mp4": "mp4", "audio/mp4": "m4a", "audio/x-m4a": "m4a", "video/quicktime": "mov",
        "video/mp2t": "ts", "audio/mpeg": "mp3", "audio/aac": "aac", "audio/flac": "flac", "audio/ogg": "ogg",
        "video/webm": "webm", "audio/webm": "webm", "video/x-matroska": "mkv", "video/ogg": "ogv",
        "audio/wav": "wav", "audio/x-wav": "wav", "application/vnd.apple.mpegurl": "m3u8",
        "application/x-mpegurl": "m3u8", "audio/mpegurl": "m3u8", "audio/x-mpegurl": "m3u8", "text/vtt": "vtt",
        "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp",
        "video/3gpp": "3gp", "application/json": "json",
    ]
}

extension APIClient {
    /// Returns all cached resources, most recently used first.
    public func resources() async throws -> [ResourceRecord] {
        try await all(ResourceList.self, "/api/v1/resources")
    }

    /// Returns the resource of a URL; nil if none of its data is cached. A user name in the URL selects the user.
    ///
    /// - Parameter withFile: Whether the record includes the path of a complete resource's file.
    public func resource(for url: ResourceURL, withFile: Bool = false) async throws -> ResourceRecord? {
        // The user is part of the cache key; the password isn't.
        let text = Self.text(of: url, withPassword: false)
        return try await callIfFound(.get, "/api/v1/resources?url=\(Self.escape(text))&file=\(withFile)")
    }

    /// Returns the resource with an ID; nil if it is no longer cached.
    ///
    /// - Parameter withFile: Whether the record includes the path of a complete resource's file.
    public func resource(id: Int64, withFile: Bool = false) async throws -> ResourceRecord? {
        try await callIfFound(.get, "/api/v1/resources/\(id)?file=\(withFile)")
    }

    /// Returns the resource with which an item is played; nil for a channel, and for an asset that has none, such as an
    /// ended recording.
    ///
    /// - Parameter withFile: Whether the record includes the path of a complete resource's file.
    public func resource(of item: LibraryItem, withFile: Bool = false) async throws -> ResourceRecord? {
        switch item.kind {
        case .asset: try await resource(for: try ResourceURL(item.url), withFile: withFile)
        case .file, .stream, .parts:
            if let id = Int64(item.id) { try await resource(id: id, withFile: withFile) } else { nil }
        case .channel: nil
        }
    }

    /// Removes a resource, and the asset and download whose file or top playlist it is. A resource in use is removed
    /// when its last reader is done.
    ///
    /// - Throws: ``Problem`` with status 409 if the resource is pinned and isn't the file or top playlist of an asset.
    public func remove(id: Int64) async throws -> [Removal] {
        try await (call(.delete, "/api/v1/resources/\(id)") as RemovalList).removed
    }

    /// Removes the file or stream that a resource plays: like ``remove(id:)``, and for the playlist of a played stream
    /// also the other resources of the stream.
    ///
    /// - Returns: The removal of all the file's or stream's resources as one.
    /// - Throws: ``Problem`` with status 409 if the resource is pinned and isn't the file or top playlist of an asset.
    public func removeTitle(of resource: ResourceRecord) async throws -> Removal {
        let asset = try await assets().first {
            $0.url == resource.url && $0.withCredentials == resource.withCredentials
        }
        let removed =
            if asset == nil, !resource.pinned, try await played().contains(where: { $0.id == resource.id }) {
                try await removePlayed(id: resource.id)
            } else {
                try await remove(id: resource.id)
            }
        let bytes = removed.reduce(0) { $0 + $1.bytes }
        return Removal(
            key: resource.key, bytes: max(bytes, asset?.bytes ?? 0), isDeferred: removed.contains(where: \.isDeferred))
    }

    /// Removes all resources and their assets, including pinned resources and assets with downloads if
    /// `includingPinned` is true.
    public func removeAll(includingPinned: Bool) async throws -> [Removal] {
        try await (call(.delete, "/api/v1/resources?pinned=\(includingPinned)") as RemovalList).removed
    }

    /// Pins or unpins a resource.
    public func setPinned(_ pinned: Bool, id: Int64) async throws {
        try await send(pinned ? .put : .delete, "/api/v1/resources/\(id)/pin")
    }
}
