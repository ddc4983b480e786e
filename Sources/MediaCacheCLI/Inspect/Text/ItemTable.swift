/// A table with a row for each of some items. Columns in which nothing stands are left out.
struct ItemTable<Item> {
    private let items: [Item]
    private var columns: [(column: Table.Column, cells: [String])] = []

    /// A table of items, without columns.
    init(_ items: [Item]) {
        self.items = items
    }

    /// Adds a column, if it has anything to show.
    mutating func column(_ title: String, _ alignment: Table.Alignment = .left, _ cell: (Item) -> String?) {
        let cells = items.map { cell($0) ?? "" }
        if cells.contains(where: { !$0.isEmpty }) { columns.append((.init(title, alignment), cells)) }
    }

    /// The lines; nil without items.
    func rendered() -> String? {
        guard !items.isEmpty else { return nil }
        var table = Table(columns.map(\.column))
        for row in items.indices { table.add(columns.map { $0.cells[row] }) }
        return table.rendered()
    }
}
