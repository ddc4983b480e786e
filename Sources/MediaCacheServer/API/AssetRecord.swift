public import Foundation
public import MediaLibrary

/// An asset, as `GET /api/v1/assets/<id>` gives it.
public struct AssetRecord: Codable, Sendable, Hashable, Identifiable {
    /// What it's called in URLs.
    public var id: String
    /// The URL of the file or playlist that it begins with, without user information.
    public var url: String
    /// Whether it came by credentials, and is one user's; whose isn't told.
    public var withCredentials: Bool
    /// When it became an asset.
    public var created: Date
    /// The picture that is kept with it, or null.
    public var cover: Asset.CoverNote?
    /// Where players and pages find it: `media.mp4`, `cover` and `frame.jpg?t=<seconds>` stand behind this.
    public var libraryURL: String

    /// The record of an asset.
    public init(_ asset: Asset, libraryURL: String) {
        id = asset.id.rawValue
        url = asset.url
        withCredentials = asset.identity != nil
        created = asset.created
        cover = asset.cover
        self.libraryURL = libraryURL
    }
}
