internal import MediaContainers

/// The contents of an asset: its playlists, rewritten to play from the cache, and its parts.
///
/// Contents are created from the origin's playlists. Afterwards, listing the parts, finding missing ones and playing
/// the asset require neither the origin nor its cached playlists.
public struct AssetContents: Sendable, Hashable, Codable {
    /// The JSON keys of the API. ``copyCount`` and ``metadata`` are only part of the storage format.
    private enum CodingKeys: String, CodingKey {
        case playlists, parts, duration, estimatedLength, notes, isGrowing, selection
    }

    /// A playlist rewritten to play from the cache, with relative references to other playlists and to parts.
    public struct LocalPlaylist: Sendable, Hashable, Codable {
        /// The path within the asset: `index.m3u8` for the playlist that players open, `video-1/index.m3u8` for others.
        public var name: String
        /// The URL of the original playlist.
        public var url: String
        /// The rewritten playlist, in UTF-8.
        public var text: String

        /// Creates a rewritten playlist.
        public init(name: String, url: String, text: String) {
            self.name = name
            self.url = url
            self.text = text
        }
    }

    /// A remark about the origin's playlists or the received media, for display.
    public struct Note: Sendable, Hashable, Codable {
        /// The URL of the playlist or part.
        public var url: String
        /// The text of the note.
        public var text: String

        /// Creates a note.
        public init(url: String, text: String) {
            self.url = url
            self.text = text
        }
    }

    /// The playlists, beginning with the one that players open; empty for a file.
    public var playlists: [LocalPlaylist]
    /// The parts in the order in which playback needs them: keys and media initialization sections, then segments by
    /// start time, then other resources.
    public var parts: [AssetPart]
    /// The duration in seconds; 0 if unknown.
    public var duration: Double
    /// The length in bytes, estimated from the bit rates in the playlists; nil if they declare none.
    public var estimatedLength: Int64?
    /// Remarks about the playlists and the received media.
    public var notes: [Note]
    /// Whether the stream is live, so that the contents are incomplete.
    public var isGrowing = false
    /// The greatest number of copies of a media playlist, including the first (RFC 8216bis §6.2.4, §7).
    var copyCount = 1
    /// The selection of variant streams and renditions in the contents; nil means that of the asset's download.
    var selection: StreamSelection?
    /// The metadata in the origin's playlists, or in a downloaded file; nil if it hasn't been read.
    var metadata: MediaMetadata?

    /// The title in the origin's playlist; nil if there is none, or the playlist hasn't been read.
    package var playlistTitle: String? { metadata?.title }

    /// The name of the playlist that players open.
    public static let entryName = "index.m3u8"

    /// Creates contents.
    public init(
        playlists: [LocalPlaylist] = [], parts: [AssetPart], duration: Double = 0, estimatedLength: Int64? = nil,
        notes: [Note] = []
    ) {
        self.playlists = playlists
        self.parts = parts
        self.duration = duration
        self.estimatedLength = estimatedLength
        self.notes = notes
    }

    /// The name of the playlist or file that players open.
    public var entry: String { playlists.first?.name ?? parts.first?.name ?? Self.entryName }
}

/// An index that finds an asset's playlists and parts by name.
package struct ContentsIndex: Sendable {
    package let contents: AssetContents
    private let playlists: [String: Int]
    private let parts: [String: Int]

    /// The base of URLs that represent names. Its host is reserved and never resolves (RFC 6761 §6.4).
    package static let base = "http://asset.invalid/"

    package init(_ contents: AssetContents) {
        self.contents = contents
        playlists = Dictionary(
            contents.playlists.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        parts = Dictionary(
            contents.parts.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    package func playlist(_ name: String) -> AssetContents.LocalPlaylist? {
        playlists[name].map { contents.playlists[$0] }
    }

    /// Returns the part with this name; the first one if several parts are ranges of one resource.
    package func part(_ name: String) -> AssetPart? { parts[name].map { contents.parts[$0] } }

    /// Returns the name in a URL under ``base``; nil for any other URL.
    package static func name(of url: String) -> String? {
        url.hasPrefix(base) ? String(url.dropFirst(base.count)) : nil
    }

    /// The approximate memory use in bytes.
    package var memory: Int64 {
        let texts = contents.playlists.reduce(0) { $0 + Int64($1.text.utf8.count) }
        // A part uses about 400 bytes, including two strings and an index entry.
        return texts + Int64(contents.parts.count) * 400
    }
}
