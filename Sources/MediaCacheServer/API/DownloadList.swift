/// The answer of `GET /api/v1/downloads`.
public struct DownloadList: Codable, Sendable, Hashable {
    /// The downloads, in the order in which they were asked for.
    public var downloads: [DownloadRecord]

    /// Creates a list.
    public init(downloads: [DownloadRecord]) {
        self.downloads = downloads
    }
}
