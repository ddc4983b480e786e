/// The body of `PATCH /api/v1/assets/<id>`: what is null stays as it is.
public struct AssetUpdate: Codable, Sendable, Hashable {
    /// What to call it.
    public var title: String?

    /// Creates an update.
    public init(title: String? = nil) {
        self.title = title
    }
}
