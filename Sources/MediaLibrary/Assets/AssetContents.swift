/// What an asset consists of: its playlists in the form that plays from here, and everything that they name.
///
/// It's made once, from the origin's playlists (`StreamContents`), and lies beside the asset's record. From then on
/// neither the origin nor what the cache has of those playlists is needed to know what belongs to the asset, what is
/// missing, and how it's played.
public struct AssetContents: Sendable, Hashable, Codable {
    /// Its JSON form has no ``copyCount``, which only a download that runs uses.
    private enum CodingKeys: String, CodingKey {
        case playlists, parts, duration, estimatedLength, notes, isGrowing, selection
    }

    /// A playlist in the form that plays from here: its references are relative, and name other playlists and parts.
    public struct LocalPlaylist: Sendable, Hashable, Codable {
        /// Its path within the asset: `index.m3u8` for the one that a player is given, `video-1/index.m3u8`.
        public var name: String
        /// Where it came from.
        public var url: String
        /// The playlist, in UTF-8.
        public var text: String

        /// Creates a playlist.
        public init(name: String, url: String, text: String) {
            self.name = name
            self.url = url
            self.text = text
        }
    }

    /// Something that the origin's playlists say, or that was found in what came, and that somebody may want to know.
    public struct Note: Sendable, Hashable, Codable {
        /// What it's about: a URL, or a playlist's.
        public var url: String
        /// In words.
        public var text: String

        /// Creates a note.
        public init(url: String, text: String) {
            self.url = url
            self.text = text
        }
    }

    /// The playlists; none of a file. The first is the one that a player is given.
    public var playlists: [LocalPlaylist]
    /// What is to be fetched, in the order in which playing needs it: keys and media initialization sections first, then
    /// segments by the time when they begin.
    public var parts: [AssetPart]
    /// How long it lasts in seconds; 0 where nothing says.
    public var duration: Double
    /// Its length in bytes as its playlists announce it; nil where nothing says.
    public var estimatedLength: Int64?
    /// What somebody may want to know.
    public var notes: [Note]
    /// Whether its stream may still grow, so that this is only what was seen of it.
    public var isGrowing = false
    /// The number of redundant copies that its playlists name, at most: 1 where there is no other.
    var copyCount = 1
    /// What was asked for of its playlists when it was found out; nil where nobody has asked for anything else since.
    var selection: StreamSelection?

    /// The name of the playlist that a player is given.
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

    /// What a player is given: the name of a playlist, or of the file.
    public var entry: String { playlists.first?.name ?? parts.first?.name ?? Self.entryName }
}
