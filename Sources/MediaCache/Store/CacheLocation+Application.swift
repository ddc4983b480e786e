import Foundation

extension CacheLocation {
    /// Where an app keeps its media: what may be fetched again lies in the system's folder for caches, which the system may
    /// empty; what is kept for the user in that for application support, and out of backups.
    ///
    /// - Parameter name: the folders' name, one for each store of the app.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` where there are no such folders.
    public static func application(named name: String = "MediaCache") throws -> CacheLocation {
        do {
            let files = FileManager.default
            let caches = try files.url(for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            let support = try files.url(
                for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            let durable = support.appending(path: name)
            try files.createDirectory(at: durable, withIntermediateDirectories: true)
            #if canImport(Darwin)
                var (folder, values) = (durable, URLResourceValues())
                values.isExcludedFromBackup = true
                try folder.setResourceValues(values)
            #endif
            return CacheLocation(evictable: caches.appending(path: name).path, durable: durable.path)
        } catch {
            throw CacheError(.storage, "the app has no folder for what it keeps; give it one by name", cause: error)
        }
    }
}
