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
    /// What a person calls it; nil where nobody has said, and nothing it has does.
    public var title: String?
    /// Whether it's a file or a stream; nil where nobody has looked.
    public var kind: Kind?
    /// How long it lasts in seconds; nil where nothing says.
    public var duration: Double?
    /// How often somebody began to play it from the library.
    public var plays: Int?
    /// When that was the last time.
    public var lastPlayed: Date?
    /// The making complete of it; nil where nobody asked for that.
    public var download: Download?
    /// How many segments of the recording that it was were lost; nil where it was none.
    public var lostCount: Int?

    /// What an asset is made of.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// One resource: an MP4, an MP3.
        case file
        /// An HLS stream.
        case stream
    }

    /// How many of its parts aren't here and won't come: its download couldn't have them, or its recording lost them.
    public var holeCount: Int { (download?.holeCount ?? 0) + (lostCount ?? 0) }

    /// In whose name it's read, where its origin tells users apart; else nil.
    public var identity: ProfileIdentity? { CacheKey(key).identity }

    /// A new asset of a kept resource.
    init(of resource: ResourceInfo, created: Date) {
        self.init(key: resource.key, url: resource.url, created: created)
    }

    /// A new asset of what lies under a cache key, or will.
    init(key: String, url: String, created: Date) {
        id = AssetID()
        self.key = key
        self.url = url
        self.created = created
    }
}
