/// A list of the API that comes in pages where it's asked to, by `?limit=`, or where it's very long.
public protocol PagedList: Codable, Sendable {
    /// What is in the list.
    associatedtype Item: Sendable

    /// What is in this page of it.
    var items: [Item] { get }

    /// What `?after=` takes to go on after this page; null where it's the last.
    var next: String? { get }
}
