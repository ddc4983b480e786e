import Foundation
import GRDB

/// The catalog's tables and migrations.
enum CatalogSchema {
    static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.label = "MediaCache.catalog"
        configuration.foreignKeysEnabled = true
        return configuration
    }

    /// The prefix of all migrations' names.
    private static let prefix = "MediaCache."

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(prefix + "1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE resource (
                        id INTEGER PRIMARY KEY,
                        key TEXT NOT NULL UNIQUE,
                        url TEXT NOT NULL,
                        created REAL NOT NULL,
                        used REAL NOT NULL,
                        use_order INTEGER NOT NULL,
                        hits INTEGER NOT NULL,
                        pinned INTEGER NOT NULL
                    );
                    CREATE INDEX resource_use ON resource (pinned, use_order);
                    CREATE TABLE representation (
                        id INTEGER PRIMARY KEY,
                        resource INTEGER NOT NULL REFERENCES resource ON DELETE CASCADE,
                        blob TEXT NOT NULL UNIQUE,
                        kept INTEGER NOT NULL,
                        length INTEGER,
                        type TEXT NOT NULL,
                        etag TEXT,
                        last_modified TEXT,
                        validated REAL NOT NULL,
                        stale INTEGER NOT NULL,
                        served_etag TEXT NOT NULL,
                        fresh_until REAL,
                        must_revalidate INTEGER NOT NULL,
                        ignores_ranges INTEGER NOT NULL,
                        superseded INTEGER NOT NULL,
                        spans BLOB NOT NULL,
                        bytes INTEGER NOT NULL,
                        check_sum INTEGER NOT NULL
                    );
                    CREATE INDEX representation_bytes ON representation (resource, bytes, length, superseded);
                    CREATE INDEX representation_superseded ON representation (id) WHERE superseded = 1;
                    CREATE TABLE checksum_page (
                        representation INTEGER NOT NULL REFERENCES representation ON DELETE CASCADE,
                        page INTEGER NOT NULL,
                        records BLOB NOT NULL,
                        PRIMARY KEY (representation, page)
                    ) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration(prefix + "2") { db in
            try db.execute(
                sql: """
                    ALTER TABLE representation ADD COLUMN location TEXT;
                    ALTER TABLE representation ADD COLUMN peer TEXT;
                    """)
        }
        migrator.registerMigration(prefix + "3") { db in
            try db.execute(sql: "ALTER TABLE representation ADD COLUMN lost BLOB")
        }
        migrator.registerMigration(prefix + "4") { db in
            try db.execute(
                sql: """
                    ALTER TABLE representation ADD COLUMN transform TEXT;
                    ALTER TABLE representation ADD COLUMN transform_whole INTEGER;
                    """)
        }
        return migrator
    }

    /// Checks a catalog for damage and unknown migrations of this module without writing to it.
    static func examine(path: String, isThorough: Bool) throws {
        var configuration = configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { db in
            let applied =
                try db.tableExists("grdb_migrations")
                ? String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations") : []
            let unknown = applied.filter { $0.hasPrefix(prefix) && !migrator.migrations.contains($0) }
            guard unknown.isEmpty else {
                throw CacheError(
                    .newerFormat,
                    "the catalog \(path) was written by a newer version (\(unknown.joined(separator: ", "))); "
                        + "update this program, or choose another folder")
            }
            try check(db, isThorough: isThorough)
        }
    }

    /// Checks all of a small catalog. Of a large one, checks only an index of `representation` and an index of
    /// `resource` unless `isThorough` is true.
    private static func check(_ db: Database, isThorough: Bool) throws {
        guard try db.tableExists("representation"), try db.tableExists("resource") else { return }
        let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        _ = try Int64.fetchOne(db, sql: "SELECT sum(bytes) + count(*) FROM representation")
        _ = try Int64.fetchOne(db, sql: "SELECT sum(use_order) FROM resource")
        guard isThorough || pages < 4_000 else { return }
        let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") ?? "no answer"
        guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
    }
}
