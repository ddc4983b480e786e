import Logging

/// An opened cache folder with its lock and catalog.
struct OpenedFolder {
    var lock: FolderLock?
    var catalog: Catalog
    var blobs: BlobFolder
    /// The new path of a damaged catalog that was replaced; nil if there was none.
    var replacedCatalog: String?
    var events: [CacheEvent] = []
    var folderFailure: FolderFailure?

    /// Opens or creates the folders. One that isn't writable is only read; an unreadable one counts as empty. Blocks.
    init(_ location: CacheLocation, files: any BlobFileSystem, logger: Logger) throws {
        let path = "\(location.durable)/catalog.sqlite"
        do {
            // The lock and the catalog always use the real file system, even if `files` is another one.
            try POSIXFileSystem().makeFolder(location.durable)
            lock = try FolderLock(location: location)
            try files.makeFolder("\(location.evictable)/blobs")
            try files.makeFolder("\(location.durable)/kept")
            blobs = BlobFolder(location: location)
            do {
                catalog = try Catalog(.file(path))
            } catch let error as CacheError where error.code == .damaged {
                let aside = try Self.setAside(path)
                logger.error("catalog set aside", metadata: ["path": "\(aside)", "error": "\(error)"])
                events.append(.catalogReplaced(path: aside))
                replacedCatalog = aside
                catalog = try Catalog(.file(path))
            }
        } catch let error as CacheError where error.code == .folderOwned || error.code == .newerFormat {
            throw error
        } catch {
            blobs = BlobFolder(location: location, isWritable: false)
            if lock == nil { lock = try Self.lockToRead(location, logger) }
            var folderFailure = FolderFailure(writing: Self.failure("can't be written", location, error))
            (catalog, folderFailure.reading) = try Self.catalogToRead(path, in: location, else: error)
            self.folderFailure = folderFailure
            let failure = folderFailure.reading ?? folderFailure.writing
            logger.notice("storing failed", metadata: ["error": "\(failure)"])
            events.append(.storageFailed(failure))
        }
    }

    /// Opens the folders for reading a copy of the catalog, without the lock and without changing a file. Blocks.
    init(toRead location: CacheLocation) throws {
        blobs = BlobFolder(location: location, isWritable: false)
        catalog = try Catalog(.copy(of: "\(location.durable)/catalog.sqlite"))
        folderFailure = FolderFailure(
            writing: CacheError(.storage, "the cache folder \(location.durable) was opened for reading"))
    }

    /// Returns the lock of a folder that isn't writable; nil if the lock file can't be created anywhere.
    static func lockToRead(_ location: CacheLocation, _ logger: Logger) throws -> FolderLock? {
        do {
            return try FolderLock(toRead: location)
        } catch let error as CacheError where error.code == .folderOwned {
            throw error
        } catch {
            logger.notice("folder not locked", metadata: ["folder": "\(location.durable)", "error": "\(error)"])
            return nil
        }
    }

    /// Returns a copy of the catalog of a folder that isn't writable, and the error if the folder can't be read. The
    /// copy is empty if the folder has no catalog or can't be read.
    private static func catalogToRead(
        _ path: String, in location: CacheLocation, else reason: any Error
    ) throws -> (Catalog, CacheError?) {
        do {
            let names = try POSIXFileSystem().names(in: location.durable)
            if names.contains("catalog.sqlite") { return (try Catalog(.copy(of: path)), nil) }
            let exists = POSIXFileSystem().exists(location.durable)
            return (try Catalog(.memory), exists ? nil : failure("can't be used", location, reason))
        } catch let error as CacheError where error.code == .newerFormat {
            throw error
        } catch {
            return (try Catalog(.memory), failure("can't be read", location, error))
        }
    }

    private static func failure(_ what: String, _ location: CacheLocation, _ reason: any Error) -> CacheError {
        let free = try? POSIXFileSystem().freeBytes(at: location.durable)
        let advice = free.map { $0 < 1 << 20 } == true ? "free some space on its disk" : "make it writable"
        return CacheError(
            .storage, "the cache folder \(location.durable) \(what) (\(reason)); \(advice), or choose another folder")
    }

    /// Renames a damaged catalog and its log, which are never deleted. Returns the new path.
    private static func setAside(_ path: String) throws -> String {
        let files = POSIXFileSystem()
        var number = 1
        while files.exists("\(path).damaged-\(number)") { number += 1 }
        for suffix in ["", "-wal", "-shm"] where files.exists(path + suffix) {
            try files.rename(path + suffix, to: "\(path).damaged-\(number)\(suffix)")
        }
        return "\(path).damaged-\(number)"
    }
}

/// The errors of a cache folder that isn't writable.
package struct FolderFailure: Sendable {
    /// The error for storing bytes.
    package var writing: CacheError
    /// The error for reading cached bytes; nil if they can be read.
    package var reading: CacheError?
}
