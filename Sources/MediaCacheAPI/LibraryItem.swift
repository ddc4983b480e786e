public import Foundation
internal import MediaCache
internal import MediaLibrary

/// An item that a user knows: an asset of the library, a channel, or a file or stream that was played.
public struct LibraryItem: Codable, Sendable, Hashable, Identifiable, IdentifiableAsset {
    /// The kind of an item.
    public typealias Kind = StorageRecord.Item.Kind

    /// The ID: that of the asset, the name of the channel, or the ID of the resource that plays the item.
    public var id: String
    /// The title. For an item without a title of its own it's derived from the URL.
    public var title: String?
    /// The artist of a song; null if unknown.
    public var artist: String?
    /// The album of a song; null if unknown.
    public var album: String?
    /// The kind.
    public var kind: Kind
    /// The URL at the origin, without user information.
    public var url: String
    /// The number of cached bytes; null if unknown.
    public var bytes: Int64?
    /// The length in bytes, exact or estimated; null if unknown.
    public var length: Int64?
    /// The state of the download, or of the recording of a channel or an asset; null if there is none.
    public var state: String?
    /// Whether every byte is cached. A recording without missing parts is complete when it has ended, and a channel
    /// when its recording has ended.
    public var complete: Bool
    /// The time the item was last played; if it never was, the time it was added or last recorded.
    public var lastUsed: Date

    /// Creates the item of an asset.
    public init(_ asset: AssetRecord) {
        (id, kind, url) = (asset.id, .asset, asset.url)
        title = asset.title ?? Self.title(of: asset.url)
        (artist, album) = (asset.artist, asset.album)
        (bytes, length) = (asset.bytes, asset.length)
        lastUsed = asset.lastPlayed ?? asset.created
        if let download = asset.state {
            (state, complete) = (download.rawValue, download == .complete)
        } else if asset.isRecorded == true {
            (state, complete) = (ChannelRecord.State.ended.rawValue, asset.holeCount == 0)
        } else {
            (state, complete) = (nil, asset.isLengthExact && asset.bytes == asset.length)
        }
    }

    /// Creates the item of a channel.
    public init(_ channel: ChannelRecord) {
        (id, title, kind, url) = (channel.name, channel.name, .channel, channel.url)
        (bytes, length) = (channel.bytes, nil)
        state = channel.state.rawValue
        complete = channel.state == .ended
        lastUsed = channel.edge.map { Date(timeIntervalSince1970: Double($0) / 1000) } ?? channel.created
    }

    /// Creates the item of a played title.
    public init(_ played: PlayedRecord) {
        (id, url) = ("\(played.id)", played.url)
        title = Self.title(of: played.url)
        kind = Kind(played.kind)
        (bytes, length) = (played.bytes, played.length)
        state = nil
        complete =
            played.kind == .file
            ? played.length == played.bytes : played.segments > 0 && played.segments == played.segmentsCached
        lastUsed = played.lastUsed
    }

    /// Creates the item of a resource that isn't an item of its own, such as a segment.
    init(_ resource: ResourceRecord) {
        (id, url) = ("\(resource.id)", resource.url)
        title = Self.title(of: resource.url)
        kind = MediaType.isPlaylist(resource.type) ? .stream : .file
        (bytes, length) = (resource.bytesCached, resource.length)
        state = nil
        complete = resource.complete
        lastUsed = resource.lastUsed
    }

    private static func title(of url: String) -> String? { (try? ResourceURL(url)).map { AssetTitle.title(for: $0) } }
}

extension APIClient {
    /// Returns all items, most recently used first. An ended recording is listed once, as an asset.
    public func libraryItems() async throws -> [LibraryItem] {
        let assets = try await assets()
        let channels = try await channels().filter { channel in
            channel.state != .ended || !assets.contains { $0.title == channel.name && $0.url == channel.url }
        }
        let played = try await played().map { LibraryItem($0) }
        let items = assets.map { LibraryItem($0) } + channels.map { LibraryItem($0) } + played
        return items.sorted { ($0.lastUsed, $0.id) > ($1.lastUsed, $1.id) }
    }
}
