public import Foundation
public import MediaCache

/// What a person calls one thing: a film, a song, a stream with all its playlists and segments.
public struct Asset: Sendable, Hashable, Identifiable, Codable {
    /// What is known of the picture that is kept with an asset.
    public struct CoverNote: Sendable, Hashable, Codable {
        /// The media type.
        public var mediaType: String
        /// The picture's length in bytes.
        public var size: Int
        /// When it was kept.
        public var changed: Date

        /// A note of a picture.
        public init(mediaType: String, size: Int, changed: Date) {
            self.mediaType = mediaType
            self.size = size
            self.changed = changed
        }
    }

    /// What it's called in URLs.
    public let id: AssetID
    /// The cache key of what it begins with: the file, or the playlist that a player is given.
    public let key: String
    /// The URL of that, without user information.
    public var url: String
    /// When it became an asset.
    public let created: Date
    /// The picture that is kept with it, if there is one.
    public var cover: CoverNote?

    /// In whose name it's read, where its origin tells users apart; else nil.
    public var identity: ProfileIdentity? { CacheKey(key).identity }

    /// A new asset of a kept resource.
    init(of resource: ResourceInfo, created: Date) {
        id = AssetID()
        key = resource.key
        url = resource.url
        self.created = created
    }
}
