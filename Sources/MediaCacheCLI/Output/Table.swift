/// A table with aligned columns.
struct Table: Sendable {
    enum Alignment: Sendable {
        case left
        case right
    }

    struct Column: Sendable {
        var title: String
        var alignment: Alignment

        init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []
    /// The colors of each row's cells, by column.
    private var colors: [[Int: TextStyle.Color]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row. Missing cells are empty, and excess cells are dropped. Control and format characters become `?`, so
    /// that a name can't move the cursor.
    mutating func add(_ cells: [String], colors: [Int: TextStyle.Color?] = [:]) {
        let padded = cells + Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(padded.prefix(columns.count).map(Self.printable))
        self.colors.append(colors.compactMapValues(\.self))
    }

    /// Returns the lines, with two spaces between columns. The heading line is omitted if all headings are empty.
    func rendered(_ style: TextStyle = .plain) -> String {
        let titles = columns.map(\.title)
        let hasTitles = !titles.allSatisfy(\.isEmpty)
        let lines = zip((hasTitles ? [titles] : []) + rows, (hasTitles ? [[:]] : []) + colors)
        let widths = columns.indices.map { index in lines.map { $0.0[index].columns }.max() ?? 0 }
        return lines.map { line, colors in
            var text = ""
            for (index, cell) in line.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.columns)
                let shown = colors[index].map { style.paint(cell, $0) } ?? cell
                text += columns[index].alignment == .right ? padding + shown : shown + padding
                if index < line.count - 1 { text += "  " }
            }
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }

    /// Returns a text with control and format characters, and line and paragraph separators, replaced by `?`.
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
