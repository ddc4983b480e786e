/// Calls `body` with each of `items`, at most `width` concurrently. Returns the results in the order of the items.
func sideBySide<Item: Sendable, Result: Sendable>(
    _ items: [Item], width: Int = 4, _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results = [Result?](repeating: nil, count: items.count)
        for (index, item) in items.enumerated() {
            if index >= width, let (done, result) = try await group.next() { results[done] = result }
            group.addTask { (index, try await body(item)) }
        }
        for try await (done, result) in group { results[done] = result }
        return results.compactMap(\.self)
    }
}
