public import Foundation
public import MediaCache
public import MediaContainers

/// A film, a song or a stream, with all its resources.
public struct Asset: Sendable, Hashable, Identifiable, Codable {
    /// A description of the cover stored with an asset.
    public struct CoverNote: Sendable, Hashable, Codable {
        /// The media type.
        public var mediaType: String
        /// The length of the image in bytes.
        public var size: Int
        /// When the cover was stored.
        public var changed: Date

        /// Creates a description of a cover.
        public init(mediaType: String, size: Int, changed: Date) {
            self.mediaType = mediaType
            self.size = size
            self.changed = changed
        }
    }

    /// The identifier of the asset in URLs.
    public let id: AssetID
    /// The cache key of the asset's entry: the file, or the playlist that players open.
    public let key: String
    /// The URL of the entry, without user information.
    public var url: String
    /// When the asset was created.
    public let created: Date
    /// The description of the stored cover; nil if there is none.
    public var cover: CoverNote?
    /// The title for display; nil if none has been set and the media contains none.
    public var title: String?
    /// The source of the title; nil if there is no title, or an earlier version stored it.
    public var titleSource: TitleSource?
    /// The artist, album and other metadata that the cached media contains; nil until it has been read.
    public var metadata: MediaMetadata?
    /// Whether the asset is a file or a stream; nil until it has been examined.
    public var kind: Kind?
    /// The duration in seconds; nil if unknown.
    public var duration: Double?
    /// The number of times the asset was played from the library; nil means 0.
    public var plays: Int?
    /// When the asset was last played from the library; nil if it never was.
    public var lastPlayed: Date?
    /// The position in seconds at which playback continues; nil at the beginning.
    public var position: Double?
    /// When the position last changed; nil if it never did.
    public var positionChanged: Date?
    /// When the asset was watched to its end, or marked as watched; nil if it wasn't.
    public var watched: Date?
    /// The tags that users have given the asset, in order; nil means none.
    public var tags: [String]?
    /// The download of the asset; nil if none was requested.
    public var download: Download?
    /// The number of segments that the asset's recording failed to fetch; nil if there are none, or no recording.
    public var lostCount: Int?

    /// The source of an asset's title. A title of the media replaces one of the URL. Only users replace a user's title.
    public enum TitleSource: String, Sendable, Hashable, Codable {
        /// The path of the URL, or the name of an imported file.
        case url
        /// The metadata of the media.
        case metadata
        /// A user, a bundle's description, or the name of a channel.
        case user
    }

    /// The structure of an asset.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A single resource, such as an MP4 or MP3 file.
        case file
        /// An HLS stream.
        case stream
    }

    /// The beginning of the cache keys of recordings, which no URL has.
    static let recordingKeyPrefix = "recording/"

    /// Whether the asset is a channel's recording, which has ended.
    public var isRecorded: Bool { key.hasPrefix(Self.recordingKeyPrefix) }

    /// The number of parts that the download or the recording failed to fetch.
    public var holeCount: Int { (download?.holeCount ?? 0) + (lostCount ?? 0) }

    /// The identity under which the asset is requested; nil if its origin doesn't distinguish users.
    public var identity: ProfileIdentity? { CacheKey(key).identity }

    /// Creates an asset whose entry has the given cache key. The entry need not be cached.
    init(key: String, url: String, created: Date) {
        id = AssetID()
        self.key = key
        self.url = url
        self.created = created
    }
}

extension Asset {
    /// The position in seconds before which playback doesn't count as begun.
    private static let minimumPosition = 5.0
    /// The fraction of the duration at which an asset counts as watched, because credits follow.
    private static let watchedFraction = 0.95

    /// Stores the position of playback. An asset that has been played almost to its end is watched, and its next
    /// playback begins at the start.
    ///
    /// - Parameter total: The duration according to the player; nil if unknown.
    mutating func notePosition(_ seconds: Double, of total: Double?, at now: Date) {
        positionChanged = now
        if let end = duration ?? total, end > 0, seconds >= end * Self.watchedFraction {
            position = nil
            watched = now
        } else {
            position = seconds >= Self.minimumPosition ? seconds : nil
        }
    }

    mutating func setTitle(_ title: String, from source: TitleSource) { (self.title, titleSource) = (title, source) }

    /// Stores metadata and duration of the media. Its title becomes the asset's title, unless a user has set one.
    mutating func apply(_ found: FileMetadata) {
        metadata = found.metadata
        duration = found.duration ?? duration
        if let title = found.metadata.title, hasReplaceableTitle { setTitle(title, from: .metadata) }
    }

    private var hasReplaceableTitle: Bool {
        switch titleSource {
        case .url, .metadata: true
        case .user: false
        case nil: title == nil || title == (try? ResourceURL(url)).map { AssetTitle.title(for: $0) }
        }
    }
}

/// Default titles of assets.
package enum AssetTitle {
    private static let generic: Set<String> = [
        "index", "master", "main", "playlist", "manifest", "stream", "prog_index", "chunklist", "video", "default",
        "hls", "live",
    ]

    /// Returns whether a name says nothing about the media, such as `index`.
    static func isGeneric(_ name: String) -> Bool { generic.contains(name.lowercased()) }

    /// Returns the last descriptive component of a URL's path, or the last one if none is descriptive, without its
    /// extension; the host if the path is empty.
    package static func title(for url: ResourceURL) -> String {
        let names = url.path.split(separator: "/").reversed().map { name -> String in
            let plain = String(name).removingPercentEncoding ?? String(name)
            guard let dot = plain.lastIndex(of: "."), dot != plain.startIndex else { return plain }
            return String(plain[..<dot])
        }
        let descriptive = names.first { !isGeneric($0) } ?? names.first
        // Terminals interpret control characters, so titles must not contain them.
        return (descriptive ?? url.host).filter {
            $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        }
    }
}
