/// Rows of text under aligned columns, for people.
struct Table: Sendable {
    /// On which side of its column a cell stands.
    enum Alignment: Sendable {
        /// Text.
        case left
        /// Numbers.
        case right
    }

    /// One column.
    struct Column: Sendable {
        /// What stands above it.
        var title: String
        /// On which side its cells stand.
        var alignment: Alignment

        /// A column.
        init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    /// A table without rows.
    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row; missing cells are empty, control characters become `?` so that a name from outside can't move the
    /// terminal's cursor.
    mutating func add(_ cells: [String]) {
        let padded = cells + Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(padded.prefix(columns.count).map(Self.printable))
    }

    /// All lines, titles first, two spaces between columns, nothing after the last cell. An empty title row is left
    /// out.
    func rendered() -> String {
        let titles = columns.map(\.title)
        let lines = titles.allSatisfy(\.isEmpty) ? rows : [titles] + rows
        let widths = columns.indices.map { index in lines.map { $0[index].columns }.max() ?? 0 }
        return lines.map { line in
            var text = ""
            for (index, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.columns)
                text += columns[index].alignment == .right ? padding + cell : cell + padding
                if index < line.count - 1 { text += "  " }
            }
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }

    /// `text` without anything that a terminal would obey.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "?"
                    default: scalar
                    }
                }))
    }
}
