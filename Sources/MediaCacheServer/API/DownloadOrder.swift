/// The body of `PUT /api/v1/downloads/order`: which download goes before which.
public struct DownloadOrder: Codable, Sendable, Hashable {
    /// The assets' names, the first goes first. Those that aren't named keep their priority.
    public var ids: [String]

    /// Creates an order.
    public init(ids: [String]) {
        self.ids = ids
    }
}
