/// Which downloads are to run: a pure value.
struct DownloadQueue: Sendable {
    /// A download's place.
    struct Item: Sendable {
        /// The greater goes first.
        var priority: Int
        /// Of those of one priority the smaller goes first.
        var order: Int
        /// Whether it's to run when its turn comes.
        var isWanted: Bool
        /// Whether something keeps it from running for now.
        var isHeldUp = false
    }

    private(set) var items: [AssetID: Item] = [:]
    private var nextOrder = 0

    /// Takes a download in, behind all others of its priority.
    mutating func add(_ id: AssetID, priority: Int, isWanted: Bool) {
        nextOrder += 1
        items[id] = Item(priority: priority, order: nextOrder, isWanted: isWanted)
    }

    mutating func remove(_ id: AssetID) { items[id] = nil }

    /// Changes a download's place; nothing where it isn't in the queue.
    mutating func change(_ id: AssetID, _ change: (inout Item) -> Void) {
        guard var item = items[id] else { return }
        change(&item)
        items[id] = item
    }

    /// Those that are to run now, the first first.
    func running(atMost limit: Int) -> [AssetID] {
        let ready = items.filter { $0.value.isWanted && !$0.value.isHeldUp }
        return ready.sorted { ($1.value.priority, $0.value.order) < ($0.value.priority, $1.value.order) }
            .prefix(max(0, limit)).map(\.key)
    }
}
