import Foundation
import GRDB

/// A resource with all its representations.
package struct CatalogEntry: Sendable {
    package var resource: StoredResource
    package var representations: [StoredRepresentation]
    /// Representations whose rows are damaged: what they say can't be used.
    package var damaged: [Int64]
    /// The blobs of ``damaged``, as far as the rows can be read.
    package var damagedBlobs: [Int64: String] = [:]

    /// The current and the pinned version.
    var versions: StoredVersions {
        var versions = StoredVersions(isPinned: resource.isPinned)
        for representation in representations { versions.add(representation) }
        return versions
    }
}

/// The versions of a resource that count: the one that readers get, and the one that its pin names.
package struct StoredVersions: Sendable {
    /// Whether the resource is pinned.
    package var isPinned: Bool
    /// The newest version that the origin hasn't replaced.
    package private(set) var current: StoredRepresentation?
    /// The version that the pin names, by ``PinRank``; nil while nothing is pinned.
    package private(set) var pinned: StoredRepresentation?

    init(isPinned: Bool) { self.isPinned = isPinned }

    /// The current version if it's complete, otherwise the pinned one, if there is one.
    package var listed: StoredRepresentation? {
        if let current, current.isComplete { return current }
        return pinned ?? current
    }

    mutating func add(_ representation: StoredRepresentation) {
        if !representation.isSuperseded, current.map({ $0.id < representation.id }) ?? true { current = representation }
        if isPinned, pinned.map({ $0.pinRank < representation.pinRank }) ?? true { pinned = representation }
    }
}

extension Catalog {
    /// A resource with all its representations, or nil.
    package func resource(key: String) async throws -> CatalogEntry? {
        try await resources(keys: [key])[key]
    }

    /// The resources that are known under `keys`, each with all its representations.
    package func resources(keys: [String]) async throws -> [String: CatalogEntry] {
        guard !keys.isEmpty else { return [:] }
        return try await read { db in
            var entries: [String: CatalogEntry] = [:]
            let arguments = StatementArguments(keys)
            // Opening one resource is what players wait for; reading its SQL takes longer than finding it.
            func statement(_ sql: String) throws -> Statement {
                keys.count == 1 ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
            }
            let resources = try Row.fetchCursor(statement(Self.resources(of: keys.count)), arguments: arguments)
            while let row = try resources.next() {
                let resource = try StoredResource(row: row)
                entries[resource.key] = CatalogEntry(resource: resource, representations: [], damaged: [])
            }
            let rows = try Row.fetchCursor(statement(Self.representations(of: keys.count)), arguments: arguments)
            while let row = try rows.next() {
                let key: String = try row.value("resource_key")
                if let representation = try? StoredRepresentation(row: row, key: key) {
                    entries[key]?.representations.append(representation)
                } else {
                    let id: Int64 = try row.value("id")
                    entries[key]?.damaged.append(id)
                    entries[key]?.damagedBlobs[id] = try? row.value("blob")
                }
            }
            return entries
        }
    }

    static func resources(of count: Int) -> String {
        "SELECT * FROM resource WHERE key IN (\(databaseQuestionMarks(count: count)))"
    }

    static func representations(of count: Int) -> String {
        """
        SELECT p.*, r.key AS resource_key FROM resource r CROSS JOIN representation p ON p.resource = r.id
        WHERE r.key IN (\(databaseQuestionMarks(count: count))) ORDER BY p.id
        """
    }

    /// The key of the resource with this number, or nil.
    package func key(ofResource id: Int64) async throws -> String? {
        try await read { db in
            try String.fetchOne(db, sql: "SELECT key FROM resource WHERE id = ?", arguments: [id])
        }
    }

    /// The keys that begin with `prefix`.
    package func keys(withPrefix prefix: String) async throws -> [String] {
        try await read { db in
            // The keys from the prefix on, in the order of their bytes; those after the last that has it don't.
            let rows = try String.fetchCursor(db, sql: Self.keysFrom, arguments: [prefix])
            return try Array(rows.prefix { $0.utf8.starts(with: prefix.utf8) })
        }
    }

    static let keysFrom = "SELECT key FROM resource WHERE key >= ? ORDER BY key"

    /// All resources, most recently used first, each with the version that is listed.
    package func resources() async throws -> [(resource: StoredResource, representation: StoredRepresentation)] {
        try await read { db in
            var versions: [Int64: StoredVersions] = [:]
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT p.*, r.key AS resource_key, r.pinned AS resource_pinned
                    FROM representation p JOIN resource r ON r.id = p.resource
                    WHERE \(Self.isListed) ORDER BY p.id
                    """)
            while let row = try rows.next() {
                let key: String = try row.value("resource_key")
                guard let representation = try? StoredRepresentation(row: row, key: key) else { continue }
                let isPinned: Bool = try row.value("resource_pinned")
                versions[representation.resourceID, default: StoredVersions(isPinned: isPinned)].add(representation)
            }
            return try Row.fetchAll(db, sql: "SELECT * FROM resource ORDER BY use_order DESC").compactMap { row in
                guard let resource = try? StoredResource(row: row) else { return nil }
                return versions[resource.id]?.listed.map { (resource, $0) }
            }
        }
    }

    /// The current and the pinned version of each resource that is known under one of `keys`.
    package func versions(keys: [String]) async throws -> [String: StoredVersions] {
        guard !keys.isEmpty else { return [:] }
        return try await read { db in
            var versions: [String: StoredVersions] = [:]
            let rows = try Row.fetchCursor(db, sql: Self.versions(of: keys.count), arguments: StatementArguments(keys))
            while let row = try rows.next() {
                let key: String = try row.value("resource_key")
                // A damaged row says nothing that could be relied on.
                guard let representation = try? StoredRepresentation(row: row, key: key) else { continue }
                let isPinned: Bool = try row.value("resource_pinned")
                versions[key, default: StoredVersions(isPinned: isPinned)].add(representation)
            }
            return versions
        }
    }

    static func versions(of count: Int) -> String {
        """
        SELECT p.*, r.key AS resource_key, r.pinned AS resource_pinned FROM resource r
        JOIN representation p ON p.resource = r.id
        WHERE \(isListed) AND r.key IN (\(databaseQuestionMarks(count: count)))
        """
    }

    /// What may be the current or the pinned version.
    private static let isListed = "(superseded = 0 OR pinned = 1)"

    /// The checksum pages of a representation. Blocks; called from the pool.
    package func checksumPages(of representation: Int64) throws -> [Int64: [UInt8]] {
        try database.read { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: "SELECT page, records FROM checksum_page WHERE representation = ?"),
                arguments: [representation])
            return Dictionary(
                rows.compactMap { row in
                    // A page that can't be read has no records: its bytes count as damaged.
                    (try? (row.value("page"), row.value("records"))).map { (page: Int64, records: Data) in
                        (page, [UInt8](records))
                    }
                }, uniquingKeysWith: { $1 })
        }
    }

    /// What may be given up, least recently used first.
    package func evictable(limit: Int) async throws -> [(resource: StoredResource, bytes: Int64)] {
        try await read { db in
            try Row.fetchAll(db, sql: Self.evictable, arguments: [limit]).compactMap { row in
                (try? StoredResource(row: row)).map { ($0, row["total"] ?? 0) }
            }
        }
    }

    static let evictable = """
        SELECT *, (SELECT sum(bytes) FROM representation p WHERE p.resource = r.id) AS total
        FROM resource r WHERE pinned = 0 ORDER BY use_order LIMIT ?
        """
    static let allBytes = "SELECT sum(bytes) FROM representation"
    static let pinnedBytes = """
        SELECT sum(bytes) FROM resource r JOIN representation p ON p.resource = r.id WHERE pinned = 1
        """
    static let completeCount = "SELECT count(*) FROM representation WHERE superseded = 0 AND bytes = length"

    /// How SQLite goes about a query, one step a line.
    package func plan(_ sql: String, arguments: Int) throws -> [String] {
        try database.read { db in
            let values = StatementArguments(Array(repeating: 0, count: arguments))
            return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: values).map { $0["detail"] }
        }
    }

    /// Bytes kept in all.
    package func bytesKept() async throws -> Int64 {
        try await read { db in try Int64.fetchOne(db, sql: Self.allBytes) ?? 0 }
    }

    /// Bytes kept in all, and those of pinned resources.
    package func byteTotals() async throws -> (all: Int64, pinned: Int64, resources: Int, complete: Int) {
        try await read { db in
            (
                try Int64.fetchOne(db, sql: Self.allBytes) ?? 0,
                try Int64.fetchOne(db, sql: Self.pinnedBytes) ?? 0,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM resource") ?? 0,
                try Int.fetchOne(db, sql: Self.completeCount) ?? 0
            )
        }
    }

    /// The blobs that belong to someone, and whether they lie with what is kept.
    package func blobs() async throws -> [String: Bool] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT blob, kept FROM representation")
            return try Dictionary(
                rows.map { (try $0.value("blob"), try $0.value("kept")) }, uniquingKeysWith: { $1 })
        }
    }

    /// Whether a blob belongs to someone. Blocks; called from the pool.
    package func knows(blob: String) throws -> Bool {
        try database.read { db in
            try Int.fetchOne(db, sql: "SELECT 1 FROM representation WHERE blob = ?", arguments: [blob]) != nil
        }
    }

    /// The blobs of pinned resources that lie with what is kept, each with the key of its resource.
    func pinnedBlobs() async throws -> [String: String] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT p.blob, r.key FROM representation p JOIN resource r ON r.id = p.resource
                    WHERE r.pinned = 1 AND p.kept = 1
                    """)
            return try Dictionary(
                rows.map { (try $0.value("blob"), try $0.value("key")) }, uniquingKeysWith: { $1 })
        }
    }

    /// Representations that go at the next opening: a newer one replaced them, or they were kept until closed. Not the
    /// one that a pin names, by ``PinRank``.
    ///
    /// - Returns: each with the key of its resource if that is pinned.
    package func supersededRepresentations() async throws -> [(id: Int64, blob: String, pinnedKey: String?)] {
        try await read { db in
            try Row.fetchAll(db, sql: Self.superseded).map {
                (try $0.value("id"), try $0.value("blob"), try $0.optional("pinned_key"))
            }
        }
    }

    static let superseded = """
        SELECT id, blob, (SELECT key FROM resource r WHERE r.id = p.resource AND r.pinned = 1) AS pinned_key
        FROM representation p WHERE superseded = 1 AND NOT (
            (SELECT pinned FROM resource r WHERE r.id = p.resource) = 1
            AND NOT EXISTS (
                SELECT 1 FROM representation n WHERE n.resource = p.resource
                AND (n.kept, n.bytes IS n.length, NOT n.superseded, n.id)
                > (p.kept, p.bytes IS p.length, NOT p.superseded, p.id)
            )
        )
        """

    /// The keys of pinned resources that have other versions besides the pinned one.
    package func pinnedWithOthers() async throws -> [String] {
        try await read { db in try String.fetchAll(db, sql: Self.pinnedWithOthers) }
    }

    static let pinnedWithOthers = """
        SELECT key FROM resource WHERE pinned = 1 AND id IN
        (SELECT resource FROM representation GROUP BY resource HAVING count(*) > 1)
        """
}

extension Row {
    /// A column's value; a damaged catalog may hold anything.
    fileprivate func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        let stored: DatabaseValue = self[column]
        guard let value = Value.fromDatabaseValue(stored) else {
            throw CacheError(.damaged, "the catalog has no usable value in \(column)")
        }
        return value
    }

    fileprivate func optional<Value: DatabaseValueConvertible>(_ column: String) throws -> Value? {
        let stored: DatabaseValue = self[column]
        return stored.isNull ? nil : try value(column)
    }

    fileprivate func date(_ column: String) throws -> Date {
        Date(timeIntervalSince1970: try value(column))
    }
}

extension StoredResource {
    fileprivate init(row: Row) throws {
        id = try row.value("id")
        key = try row.value("key")
        url = try row.value("url")
        created = try row.date("created")
        lastUsed = try row.date("used")
        useOrder = try row.value("use_order")
        hits = try row.value("hits")
        isPinned = try row.value("pinned")
    }
}

extension StoredRepresentation {
    fileprivate init(row: Row, key: String) throws {
        id = try row.value("id")
        resourceID = try row.value("resource")
        blob = try row.value("blob")
        isKept = try row.value("kept")
        head = ResourceHead(
            length: try row.optional("length"),
            contentType: try row.value("type"),
            validator: Validator(entityTag: try row.optional("etag"), lastModified: try row.optional("last_modified")),
            validatedAt: try row.date("validated"),
            isStale: try row.value("stale"),
            entityTag: try row.value("served_etag"),
            location: try (row.optional("location") as String?).map { try ResourceURL($0) },
            peer: try (row.optional("peer") as String?).flatMap(AddressKind.init) ?? .unknown)
        freshness = Freshness(
            freshUntil: try (row.optional("fresh_until") as Double?).map(Date.init(timeIntervalSince1970:)),
            rule: try row.value("must_revalidate"))
        ignoresRanges = try row.value("ignores_ranges")
        isSuperseded = try row.value("superseded")
        guard let spans = SpanMap(encoded: try row.value("spans") as Data) else {
            throw CacheError(.damaged, "the catalog has damaged spans of \(key)")
        }
        self.spans = spans
        lost = try (row.optional("lost") as Data?).flatMap { SpanMap(encoded: $0) } ?? SpanMap()
        transform = try (row.optional("transform") as String?).map {
            AppliedTransform(name: $0, isWhole: try row.optional("transform_whole") ?? false)
        }
        guard try row.value("check_sum") == checksum(key: key) else {
            throw CacheError(.damaged, "the catalog has a damaged row of \(key)")
        }
    }
}
