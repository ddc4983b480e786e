/// The answer of `GET /api/v1/resources`.
public struct ResourceList: PagedList, Hashable {
    /// The resources, most recently used first.
    public var resources: [ResourceRecord]
    /// What `?after=` takes to go on after this page; null where it's the last.
    public var next: String?

    /// Creates a list.
    public init(resources: [ResourceRecord], next: String? = nil) {
        self.resources = resources
        self.next = next
    }

    /// The same.
    public var items: [ResourceRecord] { resources }
}
