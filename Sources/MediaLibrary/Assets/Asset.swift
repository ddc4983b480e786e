public import Foundation
public import MediaCache

/// A film, a song or a stream, with all resources that belong to it.
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
    /// The description of the stored cover; nil without one.
    public var cover: CoverNote?
    /// The title for display; nil if none has been set and the media contains none.
    public var title: String?
    /// Whether the asset is a file or a stream; nil until it has been examined.
    public var kind: Kind?
    /// The duration in seconds; nil if unknown.
    public var duration: Double?
    /// The number of times the asset was played from the library; nil means 0.
    public var plays: Int?
    /// When the asset was last played from the library.
    public var lastPlayed: Date?
    /// The download of the asset; nil if none was requested.
    public var download: Download?
    /// The number of segments that the recording behind this asset missed; nil if the asset wasn't recorded.
    public var lostCount: Int?

    /// The structure of an asset.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A single resource, such as an MP4 or MP3 file.
        case file
        /// An HLS stream.
        case stream
    }

    /// The number of parts that are missing for good: its download failed to fetch them, or its recording missed them.
    public var holeCount: Int { (download?.holeCount ?? 0) + (lostCount ?? 0) }

    /// The identity whose header fields fetch the asset; nil if its origin doesn't distinguish users.
    public var identity: ProfileIdentity? { CacheKey(key).identity }

    /// Creates an asset whose entry is a cached resource.
    init(of resource: ResourceInfo, created: Date) {
        self.init(key: resource.key, url: resource.url, created: created)
    }

    /// Creates an asset whose entry has the given cache key. The entry need not be cached.
    init(key: String, url: String, created: Date) {
        id = AssetID()
        self.key = key
        self.url = url
        self.created = created
    }
}

/// Titles of assets that have none.
package enum AssetTitle {
    /// Names of playlists that don't describe their contents.
    private static let empty: Set<String> = [
        "index", "master", "main", "playlist", "manifest", "stream", "prog_index", "chunklist", "video", "default",
        "hls",
    ]

    /// Returns a title made from the last descriptive component of a URL's path, or from its host.
    package static func title(for url: ResourceURL) -> String {
        let names = url.path.split(separator: "/").reversed().map { name -> String in
            let plain = String(name).removingPercentEncoding ?? String(name)
            guard let dot = plain.lastIndex(of: "."), dot != plain.startIndex else { return plain }
            return String(plain[..<dot])
        }
        let descriptive = names.first { !empty.contains($0.lowercased()) } ?? names.first
        // A title must not contain control characters, which terminals interpret.
        return (descriptive ?? url.host).filter {
            $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        }
    }
}
