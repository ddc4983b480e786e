/// The answer of `GET /api/v1/downloads`.
public struct DownloadList: PagedList, Hashable {
    /// The downloads, in the order in which they were asked for.
    public var downloads: [DownloadRecord]
    /// What `?after=` takes to go on after this page; null where it's the last.
    public var next: String?

    /// Creates a list.
    public init(downloads: [DownloadRecord], next: String? = nil) {
        self.downloads = downloads
        self.next = next
    }

    /// The same.
    public var items: [DownloadRecord] { downloads }
}
