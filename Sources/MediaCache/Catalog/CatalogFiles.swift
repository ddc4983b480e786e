import Foundation

/// The files of a catalog: the database, and the log with what isn't in it yet.
struct CatalogFiles {
    let path: String

    /// Calls `body` with the path of a copy among the system's temporary files, which is deleted afterwards. SQLite
    /// can't open a database with a log where it can't write beside it.
    func withCopy(_ body: (String) throws -> Void) throws {
        let files = FileManager.default
        // Which says why, if it can't be read.
        _ = try POSIXFileSystem().open(path, creating: false)
        try RuntimeFolder.use("catalog-\(BlobFolder.newName())", for: CacheLocation(folder: path)) { copy in
            let suffixes = ["", "-wal"]
            defer { for suffix in suffixes + ["-shm"] { try? files.removeItem(atPath: copy + suffix) } }
            for suffix in suffixes where files.fileExists(atPath: path + suffix) {
                try files.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            try body(copy)
        }
    }
}
