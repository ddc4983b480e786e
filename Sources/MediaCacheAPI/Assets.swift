public import Foundation
internal import HTTPTypes
public import MediaCache
internal import MediaContainers
public import MediaLibrary

/// An asset, the response to `GET /api/v1/assets/<id>`.
public struct AssetRecord: Codable, Sendable, Hashable, Identifiable {
    /// The asset's ID, as used in URLs.
    public var id: String
    /// The URL of the asset's file or top playlist, without user information.
    public var url: String
    /// Whether the asset was fetched with credentials and belongs to one user. The user isn't reported.
    public var withCredentials: Bool
    /// The title; null if there is none.
    public var title: String?
    /// The artist of the song. This value and those up to `episode` are read from the cached media (ID3, MP4 or
    /// playlist), and are null if the media doesn't contain them.
    public var artist: String?
    /// The artist of the album.
    public var albumArtist: String?
    /// The album.
    public var album: String?
    /// The number of the track on its disc.
    public var track: Int?
    /// The number of tracks on the disc.
    public var trackCount: Int?
    /// The number of the disc.
    public var disc: Int?
    /// The number of discs.
    public var discCount: Int?
    /// The year of the recording or the release.
    public var year: Int?
    /// The genres, separated by commas.
    public var genre: String?
    /// The description, which may have several lines.
    public var description: String?
    /// The title of the television series.
    public var show: String?
    /// The number of the season.
    public var season: Int?
    /// The number of the episode.
    public var episode: Int?
    /// The kind of asset, a file or a stream; null if not known yet.
    public var kind: Asset.Kind?
    /// Whether the asset is a channel's recording, which has ended. Null if the server is older than this field.
    public var isRecorded: Bool?
    /// The duration in seconds; null if unknown.
    public var duration: Double?
    /// The length in bytes, exact or estimated; null if unknown.
    public var length: Int64?
    /// Whether `length` is exact.
    public var isLengthExact: Bool
    /// The number of cached bytes; null if unknown, as for a stream without a download.
    public var bytes: Int64?
    /// The state of the download; null if there is none.
    public var state: DownloadRecord.State?
    /// The download's obstacle or failure; null in other states.
    public var reason: DownloadRecord.Reason?
    /// The number of parts that the download couldn't fetch or the recording lost.
    public var holeCount: Int
    /// The time the asset was added to the library.
    public var created: Date
    /// The number of times the asset was played from the library.
    public var plays: Int
    /// The time of the last play; null if it was never played.
    public var lastPlayed: Date?
    /// The position in seconds at which playback continues; null at the beginning.
    public var position: Double?
    /// The time the position last changed; null if it never did.
    public var positionChanged: Date?
    /// The time the asset was watched to its end, or marked as watched; null if it wasn't.
    public var watched: Date?
    /// The tags that users have given the asset, in order; null if there are none.
    public var tags: [String]?
    /// The cover's metadata; null if there is no cover.
    public var cover: Asset.CoverNote?
    /// The URL that plays a downloaded asset. `media.mp4`, `cover` and `frame.jpg?t=<seconds>` are paths below it.
    public var libraryURL: String

    /// Creates the record of an asset.
    ///
    /// - Parameters:
    ///   - status: The status of the asset's download; nil if there is none.
    ///   - file: The cached resource of the asset's file or top playlist.
    public init(_ asset: Asset, _ status: DownloadStatus?, file: ResourceInfo?, libraryURL: String) {
        // The download's own progress is more recent than the store; plays and covers are only in the store.
        let current = status?.asset ?? asset
        id = asset.id.rawValue
        url = current.url
        withCredentials = current.identity != nil
        title = current.title
        duration = current.duration
        let isPlaylist = file.map { MediaType.isPlaylist($0.contentType) }
        kind = current.kind ?? isPlaylist.map { $0 ? .stream : .file }
        isRecorded = asset.isRecorded
        length = status.map(\.progress.length) ?? (kind == .file ? file?.length : nil)
        isLengthExact = status?.progress.isLengthExact ?? (length != nil)
        bytes = status?.progress.bytes ?? (kind == .file ? file?.bytesCached : nil)
        state = current.download.map { DownloadRecord.State($0.state) }
        reason = current.download.flatMap { DownloadRecord.Reason($0.state) }
        holeCount = current.holeCount
        created = asset.created
        plays = asset.plays ?? 0
        lastPlayed = asset.lastPlayed
        (position, positionChanged, watched) = (asset.position, asset.positionChanged, asset.watched)
        tags = asset.tags
        cover = asset.cover
        self.libraryURL = libraryURL
        guard let metadata = current.metadata else { return }
        (artist, albumArtist, album) = (metadata.artist, metadata.albumArtist, metadata.album)
        (track, trackCount, disc, discCount) = (
            metadata.track, metadata.trackCount, metadata.disc, metadata.discCount
        )
        (year, genre, description) = (metadata.year, metadata.genre, metadata.description)
        (show, season, episode) = (metadata.show, metadata.season, metadata.episode)
    }
}

/// The response to `GET /api/v1/assets`.
public struct AssetList: PagedList, Hashable {
    /// The assets, newest first.
    public var assets: [AssetRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(assets: [AssetRecord], next: String? = nil) {
        self.assets = assets
        self.next = next
    }

    /// The items of the page.
    public var items: [AssetRecord] { assets }
}

/// The body of `POST /api/v1/assets`.
public struct AssetRequest: Codable, Sendable, Hashable {
    /// The URL of a cached file or playlist.
    public var url: String

    /// Creates a request.
    public init(url: String) { self.url = url }
}

/// The body of `PATCH /api/v1/assets/<id>`. Null leaves a value unchanged.
public struct AssetUpdate: Codable, Sendable, Hashable {
    /// The new title.
    public var title: String?
    /// The position of playback in seconds. Below 5 s, playback begins at the start. From 95% of the duration on, the
    /// asset counts as watched.
    public var position: Double?
    /// The duration in seconds according to the player. It's needed only for assets of unknown duration.
    public var duration: Double?
    /// Whether the asset is marked as watched.
    public var watched: Bool?
    /// The tags, at most 100. They replace the existing ones.
    public var tags: [String]?

    /// Creates an update.
    public init(
        title: String? = nil, position: Double? = nil, duration: Double? = nil, watched: Bool? = nil,
        tags: [String]? = nil
    ) {
        self.title = title
        self.position = position
        self.duration = duration
        self.watched = watched
        self.tags = tags
    }
}

extension APIClient {
    /// Returns all assets, newest first.
    public func assets() async throws -> [AssetRecord] { try await all(AssetList.self, "/api/v1/assets") }

    /// Returns an asset.
    ///
    /// - Throws: ``Problem`` with status 404 if it doesn't exist.
    public func asset(_ id: String) async throws -> AssetRecord {
        try await call(.get, "/api/v1/assets/\(Self.escape(id))")
    }

    /// Changes an asset's title, position of playback, watched mark or tags.
    @discardableResult
    public func updateAsset(_ id: String, _ update: AssetUpdate) async throws -> AssetRecord {
        try await call(.patch, "/api/v1/assets/\(Self.escape(id))", content: try .json(update))
    }

    /// Removes an asset, its tokens, and the parts that no other asset uses. The channel of an ended recording is
    /// removed as well.
    public func removeAsset(_ id: String) async throws {
        try await send(.delete, "/api/v1/assets/\(Self.escape(id))")
    }

    /// Returns the asset of a cached URL, and creates it if necessary; nil if no data of the URL is cached.
    public func addAsset(for url: ResourceURL) async throws -> AssetRecord? {
        let request = AssetRequest(url: Self.text(of: url, withPassword: false))
        return try await callIfFound(.post, "/api/v1/assets", content: try .json(request))
    }

    /// Returns the asset of a URL; nil if there is none.
    public func asset(for url: ResourceURL) async throws -> AssetRecord? {
        try await callIfFound(.get, "/api/v1/assets?url=\(Self.escape(Self.text(of: url, withPassword: false)))")
    }

    /// Returns an asset's cover; nil if it has none or doesn't exist.
    public func cover(of id: String) async throws -> Cover? {
        do {
            let (bytes, type) = try await exchange(.get, "/api/v1/assets/\(Self.escape(id))/cover", content: nil)
            return Cover(bytes: bytes, mediaType: type ?? "image/jpeg")
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// Sets or replaces an asset's cover.
    ///
    /// - Throws: ``Problem`` with status 415 if the cover is larger than `Cover.largest` or isn't an image in a
    ///   supported format.
    @discardableResult
    public func setCover(_ cover: Cover, of id: String) async throws -> AssetRecord {
        let content = Content(type: cover.mediaType, bytes: cover.bytes)
        return try await call(.put, "/api/v1/assets/\(Self.escape(id))/cover", content: content)
    }

    /// Sets the cover of the asset that a reference identifies, which is created if necessary.
    ///
    /// - Returns: Whether the cover was set; false if no data of a URL is cached.
    /// - Throws: See ``addAsset(of:)``; ``Problem`` with status 415 if the cover is larger than `Cover.largest` or
    ///   isn't an image in a supported format.
    public func setCover(_ cover: Cover, of reference: AssetReference) async throws -> Bool {
        guard let asset = try await addAsset(of: reference) else { return false }
        try await setCover(cover, of: asset.id)
        return true
    }

    /// Removes an asset's cover, if it has one.
    @discardableResult
    public func removeCover(of id: String) async throws -> AssetRecord {
        try await call(.delete, "/api/v1/assets/\(Self.escape(id))/cover")
    }

    /// Removes the covers of all assets, and returns their number and size.
    public func removeCovers() async throws -> CoverUsage { try await call(.delete, "/api/v1/covers") }
}
