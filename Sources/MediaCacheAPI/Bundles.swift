internal import HTTPTypes
public import MediaLibrary

/// The description of an asset or of a finished window of a channel, from which a client exports it to a folder: the
/// response to `GET /api/v1/bundles`.
public struct BundleRecord: Codable, Sendable, Hashable {
    /// The asset's ID, or the channel's name.
    public var id: String
    /// The title; null if there is none.
    public var title: String?
    /// The URL at the origin, without user information.
    public var url: String
    /// Whether the asset was fetched with credentials and belongs to one user.
    public var withCredentials: Bool
    /// The selected variants and renditions.
    public var selection: StreamSelection?
    /// The state of the download; null if there is none.
    public var state: DownloadRecord.State?
    /// The number of parts that the download couldn't fetch or the recording lost.
    public var holeCount: Int
    /// Whether the asset has a cover.
    public var hasCover: Bool
    /// The URL to which the names of playlists and parts are appended.
    public var libraryURL: String
    /// The asset's parts; null if the asset hasn't been analyzed yet.
    public var contents: AssetContents?

    /// Creates a record.
    public init(
        id: String, title: String? = nil, url: String, withCredentials: Bool, selection: StreamSelection? = nil,
        state: DownloadRecord.State? = nil, holeCount: Int, hasCover: Bool, libraryURL: String,
        contents: AssetContents? = nil
    ) {
        self.id = id
        self.title = title
        self.url = url
        self.withCredentials = withCredentials
        self.selection = selection
        self.state = state
        self.holeCount = holeCount
        self.hasCover = hasCover
        self.libraryURL = libraryURL
        self.contents = contents
    }
}

/// The body of `POST /api/v1/bundles`: an asset whose parts are uploaded afterwards.
public struct BundleImportRequest: Codable, Sendable, Hashable {
    /// The title; null if the user has set none.
    public var title: String?
    /// The title that the metadata of the media replaces; null if there is none.
    public var defaultTitle: String?
    /// The URL at the origin.
    public var url: String
    /// The selected variants and renditions. The server ignores it.
    public var selection: StreamSelection?
    /// The asset's parts, including the URLs under which they are stored.
    public var contents: AssetContents
    /// The number of segments that the recording lost; null if the asset wasn't recorded.
    public var lost: Int?

    /// Creates a request.
    public init(
        title: String?, defaultTitle: String? = nil, url: String, selection: StreamSelection?,
        contents: AssetContents, lost: Int? = nil
    ) {
        self.title = title
        self.defaultTitle = defaultTitle
        self.url = url
        self.selection = selection
        self.contents = contents
        self.lost = lost
    }
}

extension APIClient {
    /// The maximum number of bytes for one call of ``uploadPart(_:at:of:part:to:)``.
    public static let bundlePieceLength = 8 << 20

    /// Returns the URL to which the names of an asset's playlists and parts are appended.
    public func libraryURL(ofAsset id: String) -> String { "\(address)/library/\(Self.escape(id))/" }

    /// Returns whether a URL is a `/library` or `/live` URL of this server. ``media(at:range:limit:)`` sends the key to
    /// such URLs.
    public func isLibraryURL(_ url: String) -> Bool {
        ["/library/", "/live/"].contains { url.hasPrefix(address + $0) }
    }

    /// Returns the description of an asset's bundle.
    ///
    /// - Parameter name: The asset's ID, URL or unique title.
    /// - Throws: ``Problem`` with status 404 if the asset doesn't exist, or with 400 if several assets have this title.
    public func bundle(ofAsset name: String) async throws -> BundleRecord {
        try await call(.get, "/api/v1/bundles?asset=\(Self.escape(name))")
    }

    /// Returns the description of the bundle of a channel's window. Its start and end are in milliseconds since 1970.
    ///
    /// - Throws: ``Problem`` with status 404 if the start of the window isn't recorded, or the window isn't over.
    public func bundle(ofWindowOf name: ChannelName, from: Int64, to: Int64) async throws -> BundleRecord {
        try await call(.get, "/api/v1/bundles?channel=\(name)&from=\(from)&to=\(to)")
    }

    /// Creates an asset whose parts are uploaded by ``uploadPart(_:at:of:part:to:)``. A complete asset remains
    /// unchanged.
    ///
    /// - Throws: ``Problem`` with status 409 if the asset has an unfinished download, even a paused or failed one.
    public func beginBundle(_ request: BundleImportRequest) async throws -> BundleRecord {
        try await call(.post, "/api/v1/bundles", content: try .json(request))
    }

    /// Uploads bytes of a part.
    ///
    /// - Parameters:
    ///   - bytes: At most ``bundlePieceLength`` bytes.
    ///   - offset: The offset of the first byte in the part's resource.
    ///   - length: The length of the part's resource in bytes.
    ///   - part: The part's name.
    /// - Throws: ``Problem`` with status 409 if the asset is complete, or the part has another length.
    public func uploadPart(
        _ bytes: [UInt8], at offset: Int64, of length: Int64, part: String, to asset: String
    ) async throws {
        let path = part.split(separator: "/").map { Self.escape(String($0)) }.joined(separator: "/")
        _ = try await exchange(
            .put, "/api/v1/bundles/\(Self.escape(asset))/\(path)?offset=\(offset)&length=\(length)",
            content: Content(type: "application/octet-stream", bytes: bytes))
    }

    /// Ends an import. The asset is complete or, if parts are missing and `gaps` is true, complete with holes.
    ///
    /// - Throws: ``Problem`` with status 404 if a part is missing and `gaps` is false, or with 409 if the asset has an
    ///   unfinished download.
    public func endBundle(_ asset: String, gaps: Bool) async throws -> BundleRecord {
        try await call(.post, "/api/v1/bundles/\(Self.escape(asset))/complete?gaps=\(gaps)")
    }
}
