import Foundation

extension CacheLocation {
    /// Where an app keeps its media: what may be fetched again lies in the system's folder for caches, which the system may
    /// empty; what is kept for the user in that for application support, and out of backups. On tvOS, where apps have no such
    /// folder, all of it lies in that for caches: the system may empty that while the app doesn't run.
    ///
    /// - Parameter name: the folders' name, one for each store of the app. The bundle's identifier, if there is one, goes
    ///   before it.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` where there are no such folders.
    public static func application(named name: String = "MediaCache") throws -> CacheLocation {
        let name = [Bundle.main.bundleIdentifier, name].compactMap { $0 }.joined(separator: "/")
        do {
            let files = FileManager.default
            let caches = try files.url(for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
            #if os(tvOS)
                return CacheLocation(folder: caches.appending(path: name).path)
            #else
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
            #endif
        } catch {
            throw CacheError(.storage, "the app has no folder for what it keeps; give it one by name", cause: error)
        }
    }
}
