/// A folder next to the catalog, in which another module stores small files. Its methods throw ``CacheError`` with
/// ``CacheError/Code/storage`` or ``CacheError/Code/closed``.
package struct SideFolder: Sendable {
    fileprivate let path: String
    fileprivate let store: CacheStore

    /// Returns the names of the files; none if the folder doesn't exist.
    package func names() async throws -> [String] {
        try await run("listed") { files, path in try files.names(in: path) }
    }

    /// Returns a file's bytes; nil if the file doesn't exist.
    package func contents(of name: String) async throws -> [UInt8]? {
        try await contents(of: [name])[0]
    }

    /// Returns the bytes of several files in the order of `names`; nil for those that don't exist.
    package func contents(of names: [String]) async throws -> [[UInt8]?] {
        try await run("read") { files, path in
            try names.map { name in
                let file = "\(path)/\(name)"
                return files.exists(file) ? try files.contents(of: file) : nil
            }
        }
    }

    /// Writes or replaces a file atomically. Returns when it's durable.
    package func write(_ bytes: [UInt8], to name: String) async throws {
        try store.requireWritableFolder()
        try await run("written") { files, path in
            try files.makeFolder(path)
            try files.replace("\(path)/\(name)", with: bytes)
        }
    }

    /// Deletes a file if it exists. Returns when the deletion is durable.
    package func remove(_ name: String) async throws {
        try store.requireWritableFolder()
        try await run("written") { files, path in
            guard files.exists(path) else { return }
            try files.remove("\(path)/\(name)")
            try files.syncFolder(path)
        }
    }

    /// Returns the path for a file that the caller writes itself. Creates the folder.
    package func path(for name: String) async throws -> String {
        try store.requireWritableFolder()
        return try await run("written") { files, path in
            try files.makeFolder(path)
            return "\(path)/\(name)"
        }
    }

    /// Renames a file that the caller wrote. Returns its length in bytes when the name and the bytes are durable.
    package func commit(_ name: String, as other: String) async throws -> Int64 {
        try store.requireWritableFolder()
        return try await run("written") { files, path in
            let file = try files.open("\(path)/\(name)", creating: false)
            try file.sync()
            try files.rename("\(path)/\(name)", to: "\(path)/\(other)")
            try files.syncFolder(path)
            return try file.size()
        }
    }

    /// Opens a file for reading in parts; returns nil if it doesn't exist. The open file stays readable after deletion.
    package func open(_ name: String) async throws -> SideFile? {
        try await run("read") { files, path in
            let file = "\(path)/\(name)"
            guard files.exists(file) else { return nil }
            let bytes = try files.open(file, creating: false)
            return SideFile(bytes: bytes, length: try bytes.size())
        }
    }

    private func run<Result: Sendable>(
        _ operation: String, _ work: @escaping @Sendable (any BlobFileSystem, String) throws -> Result
    ) async throws -> Result {
        try store.checkOpen()
        return try await CacheError.wrapping("the folder \(path) can't be \(operation)") {
            try await store.engine.run { [path] in try work($0.files, path) }
        }
    }
}

/// An open file of a ``SideFolder``.
package struct SideFile: Sendable {
    package let bytes: any BlobReader
    /// The length in bytes.
    package let length: Int64
}

extension CacheStore {
    /// Returns a folder next to the catalog for another module's small files. The name is unique to the module.
    package func sideFolder(_ name: String) -> SideFolder {
        SideFolder(path: "\(engine.configuration.location.durable)/\(name)", store: self)
    }
}
