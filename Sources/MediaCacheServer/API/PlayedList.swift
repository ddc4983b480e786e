/// The answer of `GET /api/v1/played`.
public struct PlayedList: PagedList, Hashable {
    /// What was played, most recently used first.
    public var played: [PlayedRecord]
    /// What `?after=` takes to go on after this page; null where it's the last.
    public var next: String?

    /// Creates a list.
    public init(played: [PlayedRecord], next: String? = nil) {
        self.played = played
        self.next = next
    }

    /// The same.
    public var items: [PlayedRecord] { played }
}
