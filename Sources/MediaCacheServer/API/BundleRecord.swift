public import MediaLibrary

/// What is to be known of an asset for writing it to a folder, as `GET /api/v1/bundles?asset=…` gives it, or of a window of
/// a channel (`?channel=…`).
public struct BundleRecord: Codable, Sendable, Hashable {
    /// What the asset is called in URLs, or the channel.
    public var id: String
    /// What a person calls it.
    public var title: String?
    /// Where it came from, without user information.
    public var url: String
    /// Whether it came by credentials, and is one user's.
    public var withCredentials: Bool
    /// What was chosen of it.
    public var selection: StreamSelection?
    /// Where its download stands, as `complete`; null where nobody asked for one.
    public var state: DownloadRecord.State?
    /// How many parts its download couldn't have, or its recording lost.
    public var holeCount: Int
    /// Whether a picture is kept with it.
    public var hasCover: Bool
    /// Where its playlists and parts are read: their names stand behind this.
    public var libraryURL: String
    /// What it consists of; null where nobody has found out yet.
    public var contents: AssetContents?
}
