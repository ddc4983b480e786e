import Foundation
import GRDB
import Synchronization

/// The database of the store's resources, their representations, spans and checksums.
///
/// Commits are durable when they return (`synchronous=FULL`).
package final class Catalog: Sendable {
    /// The location of a catalog.
    package enum Location: Sendable, Hashable {
        case file(String)
        /// Memory, initialized with the content of a file. Nothing is written to the file or its folder.
        case copy(of: String)
        /// Empty memory.
        case memory

        /// The path of the file; “in memory” if there is none.
        fileprivate var path: String {
            switch self {
            case .file(let path), .copy(let path): path
            case .memory: "in memory"
            }
        }
    }

    private let location: Location
    private let connection: Mutex<(any DatabaseWriter)?>
    private let counters: Mutex<Counters>
    /// Whether the last process that wrote to the catalog ended without closing it and left a write-ahead log.
    let wasInterrupted: Bool

    private struct Counters {
        var resource: Int64
        var representation: Int64
        var use: Int64
        var transactions = 0
    }

    /// Opens a catalog. Blocks.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/newerFormat`` if a newer version of the library wrote the
    ///   catalog, which then stays unchanged; with ``CacheError/Code/damaged`` if the file is damaged or isn't a
    ///   catalog; with ``CacheError/Code/storage`` if SQLite can't open or read it. Also throws errors of the file
    ///   system.
    package init(_ location: Location) throws {
        self.location = location
        let log = "\(location.path)-wal"
        wasInterrupted =
            if case .file = location {
                ((try? POSIXFileSystem().open(log, creating: false).size()) ?? 0) > 0
            } else {
                false
            }
        let (database, counters) = try Self.connect(location)
        connection = Mutex(database)
        self.counters = Mutex(counters)
    }

    private static func connect(_ location: Location) throws -> (any DatabaseWriter, Counters) {
        do {
            let database: any DatabaseWriter =
                switch location {
                case .file(let path): try open(path)
                case .copy(let path): try openCopy(of: path)
                case .memory: try DatabaseQueue(configuration: CatalogSchema.configuration())
                }
            try CatalogSchema.migrator.migrate(database)
            let counters = try database.read { db in
                Counters(
                    resource: try Int64.fetchOne(db, sql: "SELECT max(id) FROM resource") ?? 0,
                    representation: try Int64.fetchOne(db, sql: "SELECT max(id) FROM representation") ?? 0,
                    use: try Int64.fetchOne(db, sql: "SELECT max(use_order) FROM resource") ?? 0
                )
            }
            return (database, counters)
        } catch let error as DatabaseError {
            throw translate(error, path: location.path)
        }
    }

    private static func open(_ path: String) throws -> any DatabaseWriter {
        let marker = suspicionPath(path)
        let isSuspect = FileManager.default.fileExists(atPath: marker)
        if FileManager.default.fileExists(atPath: path) {
            try CatalogSchema.examine(path: path, isThorough: isSuspect)
        }
        if isSuspect { try FileManager.default.removeItem(atPath: marker) }
        try makePrivate(path)
        let pool = try DatabasePool(path: path, configuration: CatalogSchema.configuration())
        // GRDB sets NORMAL for WAL, with which a power failure could undo commits.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }

    /// Reads a temporary copy into memory, because SQLite can't open a database with a log in a read-only folder.
    private static func openCopy(of path: String) throws -> any DatabaseWriter {
        let files = FileManager.default
        // Throws a descriptive error if the file can't be read.
        _ = try POSIXFileSystem().open(path, creating: false)
        let queue = try DatabaseQueue(configuration: CatalogSchema.configuration())
        try RuntimeFolder.use("catalog-\(BlobFolder.newName())", for: CacheLocation(folder: path)) { copy in
            let suffixes = ["", "-wal"]
            defer { for suffix in suffixes + ["-shm"] { try? files.removeItem(atPath: copy + suffix) } }
            for suffix in suffixes where files.fileExists(atPath: path + suffix) {
                try files.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            do {
                try CatalogSchema.examine(path: copy, isThorough: files.fileExists(atPath: suspicionPath(path)))
                let source = try DatabaseQueue(path: copy, configuration: CatalogSchema.configuration())
                try source.backup(to: queue)
                try source.close()
            } catch let error as DatabaseError {
                // Translated here, because the error's code decides whether another folder is tried.
                throw translate(error, path: path)
            }
        }
        return queue
    }

    /// Restricts access to the file and its log to the owner, because URLs may contain secrets.
    private static func makePrivate(_ path: String) throws {
        let permissions: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        if FileManager.default.fileExists(atPath: path) {
            try FileManager.default.setAttributes(permissions, ofItemAtPath: path)
        } else if !FileManager.default.createFile(atPath: path, contents: nil, attributes: permissions) {
            throw SystemError(call: "create", path: path, number: errno)
        }
    }

    /// The open database. Throws ``CacheError`` with ``CacheError/Code/closed`` if there is none.
    var database: any DatabaseWriter {
        get throws {
            guard let database = connection.withLock({ $0 }) else {
                throw CacheError(.closed, "the catalog is closed")
            }
            return database
        }
    }

    /// Closes the database until ``reopen()``. Blocks.
    package func close() throws {
        let database = connection.withLock { exchange(&$0, with: nil) }
        // Truncates the log now, because the pool closes its reading connections last, and these can't truncate it.
        if let pool = database as? DatabasePool {
            _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        try database?.close()
    }

    /// Opens the database again after ``close()``. Another process may have changed it. Blocks.
    package func reopen() throws {
        guard connection.withLock({ $0 == nil }) else { return }
        let (database, now) = try Self.connect(location)
        counters.withLock { counters in
            counters.resource = max(counters.resource, now.resource)
            counters.representation = max(counters.representation, now.representation)
            counters.use = max(counters.use, now.use)
        }
        connection.withLock { $0 = database }
    }

    /// Records damage found during use, so that the next opening checks the whole catalog. Blocks.
    package func markSuspect() {
        guard case .file(let path) = location else { return }
        _ = FileManager.default.createFile(atPath: Self.suspicionPath(path), contents: nil)
    }

    private static func suspicionPath(_ path: String) -> String { "\(path).suspect" }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await database.read(body)
        } catch {
            throw translateInUse(error)
        }
    }

    /// Reads on the current thread. Blocks.
    func readNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try database.read(body)
        } catch {
            throw translateInUse(error)
        }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            let value = try await database.write(body)
            counters.withLock { $0.transactions += 1 }
            return value
        } catch {
            throw translateInUse(error)
        }
    }

    /// The number of write transactions since opening.
    package var transactions: Int { counters.withLock { $0.transactions } }

    package func nextResourceID() -> Int64 { next(\.resource) }
    package func nextRepresentationID() -> Int64 { next(\.representation) }
    package func nextUse() -> Int64 { next(\.use) }

    private func next(_ counter: WritableKeyPath<Counters, Int64>) -> Int64 {
        counters.withLock { counters in
            counters[keyPath: counter] += 1
            return counters[keyPath: counter]
        }
    }

    /// Writes snapshots and the use of resources durably in one transaction.
    package func commit(_ snapshots: [CommitSnapshot], uses: [StoredResource] = []) async throws {
        try await write { db in
            for use in uses {
                try db.cachedStatement(
                    sql: "UPDATE resource SET url = ?, used = ?, use_order = ?, hits = ?, pinned = ? WHERE id = ?"
                ).execute(arguments: [
                    use.url, use.lastUsed.timeIntervalSince1970, use.useOrder, use.hits, use.isPinned, use.id,
                ])
            }
            for snapshot in snapshots { try Self.save(snapshot, in: db) }
        }
    }

    /// Deletes representations, and resources that have none left, and unpins `resources`, durably in one transaction.
    package func delete(representations ids: [Int64], unpinning resources: [Int64] = []) async throws {
        try await write { db in
            for some in resources.batches(of: Self.idBatchSize) {
                try db.execute(
                    sql: "UPDATE resource SET pinned = 0 WHERE id IN (\(databaseQuestionMarks(count: some.count)))",
                    arguments: StatementArguments(some))
            }
            for some in ids.batches(of: Self.idBatchSize) {
                let marks = databaseQuestionMarks(count: some.count)
                let resources = try Int64.fetchAll(
                    db, sql: "SELECT DISTINCT resource FROM representation WHERE id IN (\(marks))",
                    arguments: StatementArguments(some))
                try db.execute(
                    sql: "DELETE FROM representation WHERE id IN (\(marks))", arguments: StatementArguments(some))
                try db.execute(
                    sql: """
                        DELETE FROM resource WHERE id IN (\(databaseQuestionMarks(count: resources.count))) AND
                        NOT EXISTS (SELECT 1 FROM representation WHERE resource = resource.id)
                        """, arguments: StatementArguments(resources))
            }
        }
    }

    /// The maximum number of identifiers per statement. SQLite permits 32,766 arguments.
    private static let idBatchSize = 8192

    /// Deletes a resource with all its representations, even if their records are unreadable. Returns when the deletion
    /// is durable.
    package func delete(key: String) async throws {
        try await write { try $0.execute(sql: "DELETE FROM resource WHERE key = ?", arguments: [key]) }
    }

    private static func save(_ snapshot: CommitSnapshot, in db: Database) throws {
        let resource = snapshot.resource
        let representation = snapshot.representation
        try db.cachedStatement(
            sql: """
                INSERT INTO resource (id, key, url, created, used, use_order, hits, pinned)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET url = excluded.url, used = excluded.used,
                use_order = excluded.use_order, hits = excluded.hits, pinned = excluded.pinned
                """
        ).execute(arguments: [
            resource.id, resource.key, resource.url, resource.created.timeIntervalSince1970,
            resource.lastUsed.timeIntervalSince1970, resource.useOrder, resource.hits, resource.isPinned,
        ])
        let head = representation.head
        // Not INSERT OR REPLACE, which would delete the old row and its checksum pages.
        try db.cachedStatement(
            sql: """
                INSERT INTO representation (id, resource, blob, kept, length, type, etag, last_modified,
                validated, stale, served_etag, fresh_until, must_revalidate, ignores_ranges, superseded, spans, bytes,
                check_sum, location, peer, lost, transform, transform_whole)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET kept = excluded.kept, length = excluded.length, type = excluded.type,
                etag = excluded.etag, last_modified = excluded.last_modified, validated = excluded.validated,
                stale = excluded.stale, served_etag = excluded.served_etag, fresh_until = excluded.fresh_until,
                must_revalidate = excluded.must_revalidate, ignores_ranges = excluded.ignores_ranges,
                superseded = excluded.superseded, spans = excluded.spans, bytes = excluded.bytes,
                check_sum = excluded.check_sum, location = excluded.location, peer = excluded.peer, lost = excluded.lost
                """
        ).execute(arguments: [
            representation.id, representation.resourceID, representation.blob, representation.isDurable, head.length,
            head.contentType, head.validator.entityTag, head.validator.lastModified,
            head.validatedAt.timeIntervalSince1970, head.isStale, head.entityTag,
            representation.freshness.freshUntil?.timeIntervalSince1970, representation.freshness.rule,
            representation.ignoresRanges, representation.isSuperseded, Data(representation.spans.encoded),
            representation.spans.byteCount, representation.checksum(key: resource.key),
            head.location?.description, head.peer.rawValue,
            representation.lost.isEmpty ? nil : Data(representation.lost.encoded), representation.transform?.name,
            representation.transform?.isWhole,
        ])
        for (page, records) in snapshot.dirtyPages {
            if records.isEmpty {
                try db.cachedStatement(sql: "DELETE FROM checksum_page WHERE representation = ? AND page = ?")
                    .execute(arguments: [representation.id, page])
            } else {
                try db.cachedStatement(
                    sql: "INSERT OR REPLACE INTO checksum_page (representation, page, records) VALUES (?, ?, ?)"
                ).execute(arguments: [representation.id, page, Data(records)])
            }
        }
    }

    /// Returns the error for a failure during use. Unlike at opening, only SQLITE_CORRUPT and SQLITE_NOTADB indicate
    /// damage.
    private func translateInUse(_ error: any Error) -> CacheError {
        guard let error = error as? DatabaseError else {
            return CacheError.wrap(error, as: .storage, "the catalog \(location.path) can't be used")
        }
        return switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: Self.translate(error, path: location.path)
        default:
            CacheError(
                .storage, "the catalog \(location.path) can't be used: \(error.message ?? "\(error.resultCode)")",
                cause: error)
        }
    }

    private static func translate(_ error: DatabaseError, path: String) -> CacheError {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_SCHEMA, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH:
            CacheError(.damaged, "the catalog \(path) is damaged", cause: error)
        default:
            CacheError(.storage, "the catalog \(path) can't be used", cause: error)
        }
    }
}
