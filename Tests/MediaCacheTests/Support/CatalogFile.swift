import GRDB

@testable import MediaCache

extension Catalog {
    /// Writes the committed content to another file. Blocks.
    func copy(to path: String) throws {
        let copy = try DatabaseQueue(path: path)
        try database.backup(to: copy)
        try copy.close()
    }

    /// Returns the steps of SQLite's plan for a query.
    func plan(_ sql: String, arguments: Int) throws -> [String] {
        try database.read { db in
            let values = StatementArguments(Array(repeating: 0, count: arguments))
            return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: values).map { $0["detail"] }
        }
    }
}
