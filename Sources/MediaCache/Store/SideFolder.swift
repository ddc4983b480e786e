/// A folder beside the catalog for what belongs to the cache and not to a resource: small files of another module, each
/// there whole or not at all, also after a power cut.
package struct SideFolder: Sendable {
    private let path: String
    private let store: CacheStore

    init(path: String, store: CacheStore) {
        self.path = path
        self.store = store
    }

    /// The names of the files; none where the folder has never been written to.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` or ``CacheError/Code/closed``.
    package func names() async throws -> [String] {
        try await run("listed") { files, path in try files.names(in: path) }
    }

    /// A file's bytes, or nil if there is none of this name.
    ///
    /// - Throws: as ``names()``.
    package func contents(of name: String) async throws -> [UInt8]? {
        try await run("read") { files, path in
            let file = "\(path)/\(name)"
            return files.exists(file) ? try files.contents(of: file) : nil
        }
    }

    /// The same of many at once, in the order of `names`.
    ///
    /// - Throws: as ``names()``.
    package func contents(of names: [String]) async throws -> [[UInt8]?] {
        try await run("read") { files, path in
            try names.map { name in
                let file = "\(path)/\(name)"
                return files.exists(file) ? try files.contents(of: file) : nil
            }
        }
    }

    /// Writes a file, in place of the one of this name if there is one. Returns when it's durable.
    ///
    /// - Throws: as ``names()``; also where the cache folder can't be written.
    package func write(_ bytes: [UInt8], to name: String) async throws {
        try store.requireWritableFolder()
        try await run("written") { files, path in
            try files.makeFolder(path)
            try files.replace("\(path)/\(name)", with: bytes)
        }
    }

    /// Deletes a file; one that isn't there is no error. Returns when that is durable.
    ///
    /// - Throws: as ``write(_:to:)``.
    package func remove(_ name: String) async throws {
        try store.requireWritableFolder()
        try await run("written") { files, path in
            guard files.exists(path) else { return }
            try files.remove("\(path)/\(name)")
            try files.syncFolder(path)
        }
    }

    /// Where a file of a name lies, for who writes it by other means; the folder is there then.
    ///
    /// - Throws: as ``write(_:to:)``.
    package func path(for name: String) async throws -> String {
        try store.requireWritableFolder()
        return try await run("written") { files, path in
            try files.makeFolder(path)
            return "\(path)/\(name)"
        }
    }

    /// Gives a file that was written by other means another name, in place of the file of that name. Returns when that
    /// and its bytes are durable.
    ///
    /// - Returns: its length in bytes.
    /// - Throws: as ``write(_:to:)``.
    package func place(_ name: String, as other: String) async throws -> Int64 {
        try store.requireWritableFolder()
        return try await run("written") { files, path in
            let file = try files.open("\(path)/\(name)", creating: false)
            try file.sync()
            try files.rename("\(path)/\(name)", to: "\(path)/\(other)")
            try files.syncFolder(path)
            return try file.size()
        }
    }

    /// Opens a file to be read piece by piece; nil if there is none of this name. It can be read on where it's deleted
    /// meanwhile.
    ///
    /// - Throws: as ``names()``.
    package func open(_ name: String) async throws -> SideFile? {
        try await run("read") { files, path in
            let file = "\(path)/\(name)"
            guard files.exists(file) else { return nil }
            let bytes = try files.open(file, creating: false)
            return SideFile(bytes: bytes, length: try bytes.size())
        }
    }

    private func run<Result: Sendable>(
        _ what: String, _ work: @escaping @Sendable (any BlobFileSystem, String) throws -> Result
    ) async throws -> Result {
        try store.checkOpen()
        let (files, path) = (store.engine.files, path)
        do {
            return try await store.engine.pool.run { try work(files, path) }
        } catch {
            throw CacheError.wrap(error, as: .storage, "the folder \(path) can't be \(what)")
        }
    }
}

/// A file beside the catalog that is open.
package struct SideFile: Sendable {
    /// Its bytes.
    package let bytes: any ByteSource
    /// How many there are.
    package let length: Int64
}

extension CacheStore {
    /// A folder of another module's small files, beside the catalog.
    ///
    /// - Parameter name: what the folder is called; the module's own.
    package func sideFolder(_ name: String) -> SideFolder {
        SideFolder(path: "\(engine.configuration.location.durable)/\(name)", store: self)
    }
}
