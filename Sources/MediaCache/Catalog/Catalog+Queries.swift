import Foundation
import GRDB

/// A resource with all its representations. Those with damaged records are only identified.
package struct CatalogEntry: Sendable {
    package var resource: StoredResource
    package var representations: [StoredRepresentation]
    /// The identifiers of representations with damaged records.
    package var damaged: [Int64]
    /// The names of the blobs of ``damaged`` by identifier, without unreadable names.
    package var damagedBlobs: [Int64: String] = [:]

    var versions: StoredVersions {
        var versions = StoredVersions(isPinned: resource.isPinned)
        for representation in representations { versions.add(representation) }
        return versions
    }
}

/// The versions of a resource that new readers can use: the current one and the pinned one.
package struct StoredVersions: Sendable {
    package var isPinned: Bool
    /// The newest version that isn't superseded; nil if there is none.
    package private(set) var current: StoredRepresentation?
    /// The pinned version according to ``PinRank``; nil if the resource isn't pinned.
    package private(set) var pinned: StoredRepresentation?

    init(isPinned: Bool) { self.isPinned = isPinned }

    /// The current version if it's complete or no version is pinned; otherwise the pinned one.
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
    /// Returns a resource with all its representations; nil if it isn't in the catalog.
    package func resource(key: String) async throws -> CatalogEntry? {
        try await resources(keys: [key])[key]
    }

    /// Returns the resources with the given keys and all their representations.
    package func resources(keys: [String]) async throws -> [String: CatalogEntry] {
        guard !keys.isEmpty else { return [:] }
        return try await read { db in
            var entries: [String: CatalogEntry] = [:]
            let arguments = StatementArguments(keys)
            // Players wait for the opening of a single resource, and parsing the SQL would take longer than the query.
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

    package func key(ofResource id: Int64) async throws -> String? {
        try await read { db in
            try String.fetchOne(db, sql: "SELECT key FROM resource WHERE id = ?", arguments: [id])
        }
    }

    package func keys(withPrefix prefix: String) async throws -> [String] {
        try await read { db in
            // Keys are in byte order, so those with the prefix are consecutive.
            let rows = try String.fetchCursor(db, sql: Self.keysFrom, arguments: [prefix])
            return try Array(rows.prefix { $0.utf8.starts(with: prefix.utf8) })
        }
    }

    static let keysFrom = "SELECT key FROM resource WHERE key >= ? ORDER BY key"

    /// Returns all resources with their listed versions, most recently used first. Skips resources without one, and
    /// damaged records.
    package func resources() async throws -> [(resource: StoredResource, representation: StoredRepresentation)] {
        try await read { db in
            let versions = try Self.fetchVersions(db, sql: Self.allVersions)
            return try Row.fetchAll(db, sql: "SELECT * FROM resource ORDER BY use_order DESC").compactMap { row in
                guard let resource = try? StoredResource(row: row) else { return nil }
                return versions[resource.key]?.listed.map { (resource, $0) }
            }
        }
    }

    /// Returns the current and the pinned version of each resource with one of `keys`.
    package func versions(keys: [String]) async throws -> [String: StoredVersions] {
        guard !keys.isEmpty else { return [:] }
        return try await read { db in
            try Self.fetchVersions(db, sql: Self.versions(of: keys.count), StatementArguments(keys))
        }
    }

    /// Returns the versions in the rows of a query, by key. Skips damaged records.
    private static func fetchVersions(
        _ db: Database, sql: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [String: StoredVersions] {
        var versions: [String: StoredVersions] = [:]
        let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        while let row = try rows.next() {
            let key: String = try row.value("resource_key")
            guard let representation = try? StoredRepresentation(row: row, key: key) else { continue }
            let isPinned: Bool = try row.value("resource_pinned")
            versions[key, default: StoredVersions(isPinned: isPinned)].add(representation)
        }
        return versions
    }

    static func versions(of count: Int) -> String {
        "\(allVersions) AND r.key IN (\(databaseQuestionMarks(count: count)))"
    }

    /// The query for all versions that may be the current or the pinned one of a resource.
    private static let allVersions = """
        SELECT p.*, r.key AS resource_key, r.pinned AS resource_pinned FROM resource r
        JOIN representation p ON p.resource = r.id WHERE (superseded = 0 OR pinned = 1)
        """

    /// Returns the checksum pages of a representation by page number. Blocks.
    package func checksumPages(of representation: Int64) throws -> [Int64: [UInt8]] {
        try readNow { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: "SELECT page, records FROM checksum_page WHERE representation = ?"),
                arguments: [representation])
            return Dictionary(
                rows.compactMap { row in
                    // An unreadable page has no records, so its bytes count as damaged.
                    (try? (row.value("page"), row.value("records"))).map { (page: Int64, records: Data) in
                        (page, [UInt8](records))
                    }
                }, uniquingKeysWith: { $1 })
        }
    }

    /// Returns unpinned resources, including those in use, least recently used first. Skips damaged records.
    ///
    /// - Parameter limit: The maximum number of resources.
    /// - Returns: The resources, each with the number of cached bytes of all its versions.
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

    package func bytesCached() async throws -> Int64 {
        try await read { db in try Int64.fetchOne(db, sql: Self.allBytes) ?? 0 }
    }

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

    /// Returns all blobs in the catalog, and whether each is in the pinned folder.
    package func blobs() async throws -> [String: Bool] {
        try await read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT blob, kept FROM representation")
            return try Dictionary(
                rows.map { (try $0.value("blob"), try $0.value("kept")) }, uniquingKeysWith: { $1 })
        }
    }

    /// Returns the cache key of a blob's resource, and whether the blob is in the pinned folder; nil if it's unlisted.
    func owner(ofBlob blob: String) async throws -> (key: String, isDurable: Bool)? {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT r.key, p.kept FROM representation p JOIN resource r ON r.id = p.resource WHERE p.blob = ?
                    """,
                arguments: [blob])
            return try row.map { (try $0.value("key"), try $0.value("kept")) }
        }
    }

    /// Returns whether a blob is in the catalog. Blocks.
    package func knows(blob: String) throws -> Bool {
        try readNow { db in
            try Int.fetchOne(db, sql: "SELECT 1 FROM representation WHERE blob = ?", arguments: [blob]) != nil
        }
    }

    /// Returns the cache keys of pinned resources, by their blobs that are in the pinned folder.
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

    /// Returns the representations to delete when the store is opened: superseded ones and those stored until closed,
    /// except pinned versions according to ``PinRank``. `pinnedKey` is the key of the resource if it's pinned.
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

    /// Returns the keys of pinned resources that have other versions besides the pinned one.
    package func keysWithUnpinnedVersions() async throws -> [String] {
        try await read { db in try String.fetchAll(db, sql: Self.keysWithUnpinnedVersions) }
    }

    static let keysWithUnpinnedVersions = """
        SELECT key FROM resource WHERE pinned = 1 AND id IN
        (SELECT resource FROM representation GROUP BY resource HAVING count(*) > 1)
        """
}

extension Row {
    /// Returns a column's value. Throws an error if the value has another type, as in a damaged catalog.
    fileprivate func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        let stored: DatabaseValue = self[column]
        guard let value = Value.fromDatabaseValue(stored) else {
            throw CacheError(.damaged, "a catalog record has an invalid value in column \(column)")
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
        isDurable = try row.value("kept")
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
            throw CacheError(.damaged, "the spans of \(key) in the catalog are damaged")
        }
        self.spans = spans
        lost = try (row.optional("lost") as Data?).flatMap { SpanMap(encoded: $0) } ?? SpanMap()
        transform = try (row.optional("transform") as String?).map {
            AppliedTransform(name: $0, isWhole: try row.optional("transform_whole") ?? false)
        }
        guard try row.value("check_sum") == checksum(key: key) else {
            throw CacheError(.damaged, "the catalog record of \(key) doesn't match its checksum")
        }
    }
}
