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
    /// Of a row's cells, those that have one.
    private var colours: [[Int: TextStyle.Colour]] = []

    /// A table without rows.
    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row; missing cells are empty, control characters become `?` so that a name from outside can't move the
    /// terminal's cursor.
    ///
    /// - Parameter colours: of cells by their places, where there are colours.
    mutating func add(_ cells: [String], colours: [Int: TextStyle.Colour?] = [:]) {
        let padded = cells + Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(padded.prefix(columns.count).map(Self.printable))
        self.colours.append(colours.compactMapValues(\.self))
    }

    /// All lines, titles first, two spaces between columns, nothing after the last cell. An empty title row is left
    /// out.
    func rendered(_ style: TextStyle = .plain) -> String {
        let titles = columns.map(\.title)
        let hasTitles = !titles.allSatisfy(\.isEmpty)
        let lines = zip((hasTitles ? [titles] : []) + rows, (hasTitles ? [[:]] : []) + colours)
        let widths = columns.indices.map { index in lines.map { $0.0[index].columns }.max() ?? 0 }
        return lines.map { line, colours in
            var text = ""
            for (index, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.columns)
                let shown = colours[index].map { style.paint(cell, $0) } ?? cell
                text += columns[index].alignment == .right ? padding + shown : shown + padding
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
