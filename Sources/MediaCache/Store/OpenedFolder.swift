import Foundation
import Logging

/// A cache folder with its lock and catalog, or what stands in for them where it can't be used.
struct OpenedFolder {
    var lock: FolderLock?
    var catalog: Catalog
    var blobs: BlobFolder
    /// Where the damaged catalog that was found lies now.
    var replacedCatalog: String?
    /// Whether the catalog knows nothing of what lies in the folder.
    var isCatalogNew: Bool { catalog.isNew }
    var events: [CacheEvent] = []
    /// What keeps the folder from being used; nil if nothing does.
    var trouble: FolderTrouble?

    /// Opens the folders, making them if need be. What can't be written is read; what can't be read is passed over.
    /// Blocks.
    init(_ location: CacheLocation, files: any BlobFileSystem, logger: Logger) throws {
        let path = "\(location.durable)/catalog.sqlite"
        do {
            // The lock and the catalog are the system's files, whatever blobs are.
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
            var trouble = FolderTrouble(writing: Self.failure("can't be written", location, error))
            (catalog, trouble.reading) = try Self.catalogToRead(path, in: location, else: error)
            self.trouble = trouble
            let failure = trouble.reading ?? trouble.writing
            logger.notice("not keeping", metadata: ["error": "\(failure)"])
            events.append(.storageFailed(failure))
        }
    }

    /// The lock of a folder that can't be written; nil if there is no place for one, so that others won't find this
    /// process.
    static func lockToRead(_ location: CacheLocation, _ logger: Logger) throws -> FolderLock? {
        do {
            return try FolderLock(toRead: location)
        } catch let error as CacheError where error.code == .folderOwned {
            throw error
        } catch {
            logger.notice("no lock", metadata: ["folder": "\(location.durable)", "error": "\(error)"])
            return nil
        }
    }

    /// What is in a folder that can't be written, and why it can't be read, if it can't. Where there is a folder and no
    /// catalog, nothing is in it.
    private static func catalogToRead(
        _ path: String, in location: CacheLocation, else reason: any Error
    ) throws -> (Catalog, CacheError?) {
        do {
            let names = try POSIXFileSystem().names(in: location.durable)
            if names.contains("catalog.sqlite") { return (try Catalog(.copy(of: path)), nil) }
            let isThere = POSIXFileSystem().exists(location.durable)
            return (try Catalog(.memory), isThere ? nil : failure("can't be used", location, reason))
        } catch let error as CacheError where error.code == .newerFormat {
            throw error
        } catch {
            return (try Catalog(.memory), failure("can't be read", location, error))
        }
    }

    private static func failure(_ what: String, _ location: CacheLocation, _ reason: any Error) -> CacheError {
        let free = try? POSIXFileSystem().freeBytes(at: location.durable)
        let advice = free.map { $0 < 1 << 20 } == true ? "free some room on its disk" : "make it writable"
        return CacheError(
            .storage, "the cache folder \(location.durable) \(what) (\(reason)); \(advice), or name another")
    }

    /// Moves a damaged catalog away, with its log; it's never deleted.
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
