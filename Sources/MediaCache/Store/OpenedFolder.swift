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

    /// Opens the folders, making them if need be. Blocks.
    init(_ location: CacheLocation, files: any BlobFileSystem, logger: Logger) throws {
        do {
            // The lock and the catalog are the system's files, whatever blobs are.
            try POSIXFileSystem().makeFolder(location.durable)
            lock = try FolderLock(location: location)
            try files.makeFolder("\(location.evictable)/blobs")
            try files.makeFolder("\(location.durable)/kept")
            blobs = BlobFolder(location: location)
            let path = "\(location.durable)/catalog.sqlite"
            do {
                catalog = try Catalog(path: path)
            } catch let error as CacheError where error.code == .damaged {
                let aside = try Self.setAside(path)
                logger.error("catalog set aside", metadata: ["path": "\(aside)", "error": "\(error)"])
                events.append(.catalogReplaced(path: aside))
                replacedCatalog = aside
                catalog = try Catalog(path: path)
            }
        } catch let error as CacheError where error.code == .folderOwned || error.code == .newerFormat {
            throw error
        } catch {
            let failure = CacheError.wrap(
                error, as: .storage, "the cache folder \(location.durable) can't be used; nothing will be kept")
            logger.error("not keeping", metadata: ["error": "\(failure)"])
            events.append(.storageFailed(failure))
            lock = nil
            blobs = BlobFolder(location: location, isWritable: false)
            catalog = try Catalog(path: nil)
        }
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
