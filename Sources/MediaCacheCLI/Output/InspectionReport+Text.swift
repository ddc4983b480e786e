import MediaLibrary

extension InspectionReport {
    var text: String { sections.map(\.text).joined(separator: "\n\n") }
}

extension InspectionReport.Section {
    fileprivate var text: String {
        var lines = heading.map { [Table.printable($0)] } ?? []
        if !columns.isEmpty {
            var table = Table(columns.map { .init($0.title, $0.isNumeric ? .right : .left) })
            for row in rows { table.add(row) }
            lines.append(table.rendered())
        }
        return (lines + notes.map(Table.printable)).joined(separator: "\n")
    }
}
