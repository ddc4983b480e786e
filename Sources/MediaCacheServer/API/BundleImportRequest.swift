public import MediaLibrary

/// The body of `POST /api/v1/bundles`: an asset whose parts will be brought.
public struct BundleImportRequest: Codable, Sendable, Hashable {
    /// What a person calls it.
    public var title: String?
    /// Where it came from.
    public var url: String
    /// What was chosen of it.
    public var selection: StreamSelection?
    /// What it consists of, with the URLs that its parts will be kept under.
    public var contents: AssetContents
    /// How many segments its recording had lost; null where it was none.
    public var lost: Int?

    /// Creates a request.
    public init(
        title: String?, url: String, selection: StreamSelection?, contents: AssetContents, lost: Int? = nil
    ) {
        self.title = title
        self.url = url
        self.selection = selection
        self.contents = contents
        self.lost = lost
    }
}
