package import MediaCache

/// A file system that calls a function before it removes or replaces a file, so that a test can intervene.
package struct HookedFileSystem: BlobFileSystem {
    package enum Moment: Sendable {
        case removing, replacing
    }

    private let system = POSIXFileSystem()
    private let hook: @Sendable (Moment, String) throws -> Void

    /// Creates a file system. `hook` receives the file's path, and may throw an error to fail the operation.
    package init(_ hook: @escaping @Sendable (Moment, String) throws -> Void) { self.hook = hook }

    package func open(_ path: String, creating: Bool) throws -> any BlobFile {
        try system.open(path, creating: creating)
    }

    package func rename(_ source: String, to destination: String) throws { try system.rename(source, to: destination) }
    package func link(_ source: String, to destination: String) throws { try system.link(source, to: destination) }
    package func linkCount(of path: String) throws -> Int { try system.linkCount(of: path) }
    package func makeFolder(_ path: String) throws { try system.makeFolder(path) }
    package func syncFolder(_ path: String) throws { try system.syncFolder(path) }
    package func sync(_ files: [any BlobFile], folders: Set<String>) -> SyncFailures {
        system.sync(files, folders: folders)
    }
    package func names(in folder: String) throws -> [String] { try system.names(in: folder) }
    package func exists(_ path: String) -> Bool { system.exists(path) }
    package func freeBytes(at path: String) throws -> Int64 { try system.freeBytes(at: path) }
    package func contents(of path: String) throws -> [UInt8] { try system.contents(of: path) }

    package func remove(_ path: String) throws {
        try hook(.removing, path)
        try system.remove(path)
    }

    package func replace(_ path: String, with bytes: [UInt8]) throws {
        try hook(.replacing, path)
        try system.replace(path, with: bytes)
    }
}
