public import Foundation

/// The description of a bundle in `bundle.json`. Only imports need it; players and web servers don't.
public struct BundleManifest: Sendable, Hashable, Codable {
    /// A part of the asset.
    public struct Part: Sendable, Hashable, Codable {
        /// The path of the part in the bundle.
        public var name: String
        /// The URL of the resource with exactly these bytes. It's nil if the origin's bytes differ, for example because
        /// a wrapping was removed, or if the resource belongs to a single user.
        public var url: String?

        /// Creates a part.
        public init(name: String, url: String?) {
            self.name = name
            self.url = url
        }
    }

    /// The name of the manifest file.
    public static let fileName = "bundle.json"
    /// The current value of ``format``.
    public static let currentFormat = "mediacache-bundle 1"

    /// The format of the manifest: ``currentFormat``.
    public var format = BundleManifest.currentFormat
    /// The title of the asset.
    public var title: String?
    /// The URL of the asset, without user information.
    public var url: String
    /// The name of the playlist or file that players open.
    public var entry: String
    /// The duration in seconds; 0 if unknown.
    public var duration: Double
    /// The selection with which the asset was downloaded.
    public var selection: StreamSelection?
    /// The name of the cover's file; nil if there is no cover.
    public var cover: String?
    /// When the bundle was created.
    public var created: Date
    /// The parts, without repeated names.
    public var parts: [Part] = []
    /// The names of parts that are missing from the bundle.
    public var holes: [String] = []
    /// The number of gaps in the playlists of a recorded asset: segments that couldn't be fetched, that no loaded
    /// playlist listed, or that the origin marked as gaps. It's nil if there are none, or the asset wasn't recorded.
    public var lost: Int?

    /// Creates a manifest without parts.
    public init(
        title: String?, url: String, entry: String, duration: Double, selection: StreamSelection?, created: Date
    ) {
        self.title = title
        self.url = url
        self.entry = entry
        self.duration = duration
        self.selection = selection
        self.created = created
    }

    /// Returns the manifest as JSON, with dates in ISO 8601.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(self))
    }

    /// Reads a manifest.
    ///
    /// - Throws: `DecodingError`, also for an unknown format.
    public init(encoded bytes: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(BundleManifest.self, from: Data(bytes))
        guard format == Self.currentFormat else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the format “\(format)” isn't supported"))
        }
    }
}
