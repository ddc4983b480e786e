/// The contents of an asset: its playlists, rewritten to play from the cache, and the parts that they name.
///
/// Contents are created once, from the origin's playlists (`StreamContents`), and stored beside the asset's record.
/// From then on, the library needs neither the origin nor its cached playlists to list the asset's parts, find missing
/// ones and play the asset.
public struct AssetContents: Sendable, Hashable, Codable {
    /// The JSON keys. ``copyCount`` is omitted, because only a running download uses it.
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
        /// The URL of the playlist or part that the note is about.
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
    /// start time.
    public var parts: [AssetPart]
    /// The duration in seconds; 0 if unknown.
    public var duration: Double
    /// The length in bytes that the playlists announce; nil if they don't.
    public var estimatedLength: Int64?
    /// Remarks about the playlists and the received media.
    public var notes: [Note]
    /// Whether the stream is live, so that its contents are known only in part.
    public var isGrowing = false
    /// The greatest number of redundant copies of a playlist (RFC 8216bis §7); 1 if there are none.
    var copyCount = 1
    /// The selection by which the contents were created; nil if it's the one of the asset's download.
    var selection: StreamSelection?

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

/// An index of an asset's contents by name.
package struct ContentsIndex: Sendable {
    /// The indexed contents.
    package let contents: AssetContents
    private let playlists: [String: Int]
    private let parts: [String: Int]

    /// The base URL for names where a URL is required. Its host never exists (RFC 6761 §6.4).
    package static let base = "http://asset.invalid/"

    /// Creates an index of contents.
    package init(_ contents: AssetContents) {
        self.contents = contents
        playlists = Dictionary(
            contents.playlists.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        // Ranges of one resource have one name.
        parts = Dictionary(
            contents.parts.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the playlist with this name.
    package func playlist(_ name: String) -> AssetContents.LocalPlaylist? {
        playlists[name].map { contents.playlists[$0] }
    }

    /// Returns the part with this name, the first one if several are ranges of one resource.
    package func part(_ name: String) -> AssetPart? { parts[name].map { contents.parts[$0] } }

    /// Returns the name that a URL under ``base`` refers to; nil for another URL.
    package static func name(of url: String) -> String? {
        url.hasPrefix(base) ? String(url.dropFirst(base.count)) : nil
    }

    /// The approximate memory use in bytes.
    package var memory: Int64 {
        let texts = contents.playlists.reduce(0) { $0 + Int64($1.text.utf8.count) }
        // Each part has two strings and an index entry.
        return texts + Int64(contents.parts.count) * 400
    }
}
