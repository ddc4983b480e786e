public import Foundation
public import MediaCache
public import MediaLibrary

/// An asset, as `GET /api/v1/assets/<id>` gives it.
public struct AssetRecord: Codable, Sendable, Hashable, Identifiable {
    /// What it's called in URLs.
    public var id: String
    /// The URL of the file or playlist that it begins with, without user information.
    public var url: String
    /// Whether it came by credentials, and is one user's; whose isn't told.
    public var withCredentials: Bool
    /// What a person calls it; null where nobody has said, and nothing it has does.
    public var title: String?
    /// Whether it's a file or a stream; null where nobody has looked.
    public var kind: Asset.Kind?
    /// How long it lasts in seconds; null where nothing says.
    public var duration: Double?
    /// Its length in bytes, known or estimated; null where nothing says.
    public var length: Int64?
    /// Whether `length` is known, and no estimate.
    public var lengthKnown: Bool
    /// Bytes that are here; null of a stream that was only played.
    public var bytes: Int64?
    /// Where its download stands; null where nobody asked for it to be complete.
    public var state: DownloadRecord.State?
    /// What its download waits for, or why it failed.
    public var reason: DownloadRecord.Reason?
    /// How many parts its download couldn't have, or its recording lost.
    public var holeCount: Int
    /// When it became an asset.
    public var created: Date
    /// How often somebody began to play it from the library.
    public var plays: Int
    /// When that was the last time.
    public var lastPlayed: Date?
    /// The picture that is kept with it, or null.
    public var cover: Asset.CoverNote?
    /// Where players and pages find it: this is what it begins with, if it was downloaded; `media.mp4`, `cover` and `frame.jpg?t=<seconds>` stand behind this.
    public var libraryURL: String

    /// The record of an asset.
    ///
    /// - Parameters:
    ///   - asset: the asset.
    ///   - status: its download, if it has one.
    ///   - file: what is kept of what it begins with.
    ///   - libraryURL: where players and pages find it.
    public init(_ asset: Asset, _ status: DownloadStatus?, file: ResourceInfo?, libraryURL: String) {
        // A download knows first where it stands; what people do with an asset only the shelf knows.
        let known = status?.asset ?? asset
        id = asset.id.rawValue
        url = known.url
        withCredentials = known.identity != nil
        title = known.title
        duration = known.duration
        let isPlaylist = file.map { MediaType.isPlaylist($0.contentType) }
        kind = known.kind ?? isPlaylist.map { $0 ? .stream : .file }
        length = status.map(\.progress.length) ?? (kind == .file ? file?.length : nil)
        lengthKnown = status?.progress.isLengthKnown ?? (length != nil)
        bytes = status?.progress.bytes ?? (kind == .file ? file?.bytesKept : nil)
        state = known.download.map { DownloadRecord.State($0.state) }
        reason = known.download.flatMap { DownloadRecord.Reason($0.state) }
        holeCount = known.holeCount
        created = asset.created
        plays = asset.plays ?? 0
        lastPlayed = asset.lastPlayed
        cover = asset.cover
        self.libraryURL = libraryURL
    }
}
