public import Foundation
internal import MediaCache
internal import MediaLibrary

/// An item that other devices can play: an asset of the library or a channel. It names neither its origin nor the
/// account with which it was fetched.
public struct PlayableItem: Codable, Sendable, Hashable, Identifiable {
    /// The kinds of items.
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// A single file, such as an MP4 or MP3 file.
        case file
        /// An HLS stream, or a recording that has ended.
        case stream
        /// A live stream that is or was recorded.
        case channel
    }

    /// The asset's ID, or the channel's name.
    public var id: String
    /// The kind.
    public var kind: Kind
    /// The title; if the asset has none, it's derived from the name of its file.
    public var title: String
    /// The path of the item's folder, relative to the URL of the list: `library/<id>/` or `live/<name>/`.
    public var path: String
    /// The duration in seconds; null if unknown, as for a channel.
    public var duration: Double?
    /// The cached fraction of the item, from 0 to 1; null if unknown, as for a channel.
    public var cachedShare: Double?
    /// Whether the item doesn't change: no download of it is unfinished, and the channel isn't being recorded.
    public var isFinished: Bool
    /// The number of parts that are missing although the item is finished.
    public var holeCount: Int
    /// The time the cover was stored, which changes with the cover; null if there is none. The cover is at `cover` in
    /// the item's folder.
    public var coverChanged: Date?
    /// The time the asset or the channel was added.
    public var created: Date

    /// Creates the item of an asset; nil if the asset's kind isn't known yet.
    public init?(_ asset: AssetRecord) {
        guard let assetKind = asset.kind else { return nil }
        id = asset.id
        kind = assetKind == .file ? .file : .stream
        title = asset.title ?? (try? ResourceURL(asset.url)).map { AssetTitle.title(for: $0) } ?? asset.id
        path = "library/\(asset.id)/"
        duration = asset.duration
        isFinished =
            switch asset.state {
            case nil, .complete, .completeWithHoles: true
            case .queued, .running, .paused, .waiting, .failed: false
            }
        cachedShare =
            if isFinished {
                asset.holeCount == 0 ? 1 : nil
            } else if let length = asset.length, length > 0 {
                min(1, Double(asset.bytes ?? 0) / Double(length))
            } else {
                nil
            }
        holeCount = asset.holeCount
        coverChanged = asset.cover?.changed
        created = asset.created
    }

    /// Creates the item of a channel.
    public init(_ channel: ChannelRecord) {
        (id, title, kind) = (channel.name, channel.name, .channel)
        path = "live/\(channel.name)/"
        (duration, cachedShare, holeCount, coverChanged) = (nil, nil, 0, nil)
        isFinished = !channel.isRunning
        created = channel.created
    }
}

/// The response to `GET /items`.
public struct PlayableItemList: PagedList, Hashable {
    /// The items, newest first.
    public var items: [PlayableItem]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(items: [PlayableItem], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension APIClient {
    /// Returns the items that other devices can play, newest first.
    public func playableItems() async throws -> [PlayableItem] { try await all(PlayableItemList.self, "/items") }
}
