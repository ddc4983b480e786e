import Foundation
public import MediaCache
public import MediaCacheAPI

/// The settings that were changed through the API, as stored in a cache folder.
public struct StoredSettings: Sendable {
    private let cache: CacheSettingsUpdate
    private let downloads: DownloadSettings

    /// Creates settings of a folder in which none were changed.
    public init() {
        cache = CacheSettingsUpdate()
        downloads = DownloadSettings()
    }

    /// Reads two small files on the current thread. A file that doesn't exist or can't be decoded counts as empty.
    public init(at location: CacheLocation) {
        func contents(of name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: "\(location.durable)/settings/\(name)").map { Array($0) }
        }
        cache = CacheSettingsUpdate(stored: contents(of: CacheSettingsStore.fileName))
        downloads = DownloadSettings(stored: contents(of: DownloadSettingsStore.fileName))
    }

    /// Returns the settings that a server with these configurations would use.
    ///
    /// - Throws: `Problem` if a number in the server's configuration is invalid.
    public func settings(
        of configuration: CacheConfiguration, server: ServerConfiguration
    ) throws -> (cache: CacheSettings, downloads: DownloadSettings) {
        let cache = CacheSettings(applied(to: configuration, server))
        return (cache, try server.downloads?.applied(to: downloads) ?? downloads)
    }

    /// Returns a configuration with the stored settings of the cache, and those of the server's configuration, which
    /// take precedence.
    func applied(to configuration: CacheConfiguration, _ server: ServerConfiguration) -> CacheConfiguration {
        var configuration = configuration
        (server.cacheSettings.map(cache.merging) ?? cache).apply(to: &configuration)
        return configuration
    }
}
