/// The content of a human-readable summary of a playlist or container. The caller determines its layout.
public struct InspectionReport: Sendable, Hashable {
    /// A column of a table.
    public struct Column: Sendable, Hashable {
        /// The heading; empty for a list of facts.
        public var title: String
        /// Whether the cells are numbers.
        public var isNumeric: Bool
    }

    /// A section: a heading, a table, and notes below it. Each may be absent.
    public struct Section: Sendable, Hashable {
        /// The line above the table.
        public var heading: String?
        /// The columns of the table.
        public var columns: [Column] = []
        /// The rows of the table, with a cell for each column.
        public var rows: [[String]] = []
        /// The lines below the table.
        public var notes: [String] = []
    }

    /// The sections in order.
    public var sections: [Section]
}

extension InspectionReport.Section {
    /// Creates a table with the name and value of a fact in each row. Nil facts are omitted.
    init(facts: KeyValuePairs<String, String?>) {
        columns = [.init(title: "", isNumeric: false), .init(title: "", isNumeric: false)]
        rows = facts.compactMap { name, fact in fact.map { [name, $0] } }
    }

    /// Creates a table with a row for each item; nil if there are no items. Empty columns are omitted.
    init?<Item>(_ items: [Item], columns: [ReportColumn<Item>]) {
        guard !items.isEmpty else { return nil }
        var cells: [[String]] = []
        for column in columns {
            let texts = items.map { column.cell($0) ?? "" }
            guard texts.contains(where: { !$0.isEmpty }) else { continue }
            self.columns.append(.init(title: column.title, isNumeric: column.isNumeric))
            cells.append(texts)
        }
        rows = items.indices.map { row in cells.map { $0[row] } }
    }
}

/// A column of a table, and the function that returns its cells.
struct ReportColumn<Item> {
    var title: String
    var isNumeric: Bool
    var cell: (Item) -> String?

    static func text(_ title: String, _ cell: @escaping (Item) -> String?) -> ReportColumn {
        ReportColumn(title: title, isNumeric: false, cell: cell)
    }

    static func number(_ title: String, _ cell: @escaping (Item) -> String?) -> ReportColumn {
        ReportColumn(title: title, isNumeric: true, cell: cell)
    }
}

/// Text formatting shared by reports.
enum ReportText {
    /// Returns a number with a noun: `1 key`, `4 keys`; nil for 0.
    static func count(_ number: Int, _ singular: String, _ plural: String) -> String? {
        number == 0 ? nil : "\(number) \(number == 1 ? singular : plural)"
    }

    /// Returns items separated by commas, with a count of those beyond `limit`; nil if there are no items.
    static func list(_ items: [String], limit: Int = 6) -> String? {
        guard !items.isEmpty else { return nil }
        let shown = items.prefix(limit).joined(separator: ", ")
        return items.count > limit ? "\(shown) and \(items.count - limit) more" : shown
    }
}
