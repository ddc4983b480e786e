public import Foundation

/// What a bundle says of itself, in `bundle.json`: players and web servers don't need it, taking the bundle in again does.
public struct BundleManifest: Sendable, Hashable, Codable {
    /// A part of the asset, and what it was.
    public struct Part: Sendable, Hashable, Codable {
        /// Its path within the bundle.
        public var name: String
        /// The resource that it is, byte for byte; nil where it's another's, or what its origin had put around it was
        /// taken off.
        public var url: String?

        /// Creates a part.
        public init(name: String, url: String?) {
            self.name = name
            self.url = url
        }
    }

    /// The file's name in a bundle.
    public static let fileName = "bundle.json"
    /// What the file says that it is.
    public static let currentFormat = "mediacache-bundle 1"

    /// What the file is: ``currentFormat``.
    public var format: String
    /// What a person calls the asset.
    public var title: String?
    /// Where it came from, without user information.
    public var url: String
    /// What a player is given: the name of a playlist or a file.
    public var entry: String
    /// How long it lasts in seconds; 0 where nothing says.
    public var duration: Double
    /// What was chosen of it.
    public var selection: StreamSelection?
    /// The name of the picture that was kept with it.
    public var cover: String?
    /// When the bundle was made.
    public var created: Date
    /// The parts, each name once.
    public var parts: [Part]
    /// Names of parts that couldn't be had, and aren't in the bundle.
    public var holes: [String]
    /// How many segments its recording had lost: playlists say that they're absent. Nil where it was none.
    public var lost: Int?

    /// Creates a manifest of parts that are still to come.
    public init(
        title: String?, url: String, entry: String, duration: Double, selection: StreamSelection?, created: Date
    ) {
        format = Self.currentFormat
        self.title = title
        self.url = url
        self.entry = entry
        self.duration = duration
        self.selection = selection
        self.created = created
        cover = nil
        parts = []
        holes = []
    }

    /// The file's bytes.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(self))
    }

    /// Reads the file.
    ///
    /// - Throws: `DecodingError`, also for a format that isn't known.
    public init(encoded bytes: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(BundleManifest.self, from: Data(bytes))
        guard format == Self.currentFormat else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the format “\(format)” isn't known here"))
        }
    }
}
