/// The answer of `GET /api/v1/resources`.
public struct ResourceList: Codable, Sendable, Hashable {
    /// The resources, most recently used first.
    public var resources: [ResourceRecord]

    /// Creates a list.
    public init(resources: [ResourceRecord]) {
        self.resources = resources
    }
}
