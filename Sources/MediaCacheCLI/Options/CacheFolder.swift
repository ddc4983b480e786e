import Foundation
import MediaCache

/// The location of the cache folder.
enum CacheFolder {
    /// Returns the configured folder; without one, the platform's folders for evictable and for durable data.
    static func location(_ settings: Settings, environment: [String: String]) throws -> CacheLocation {
        if let folder = settings[.cache]?.text {
            guard !folder.isEmpty else {
                throw CommandFailure(
                    .usage, "\(settings.sourceDescription(of: .cache)) is empty; specify the path of a folder")
            }
            return CacheLocation(folder: absolute(folder))
        }
        #if canImport(Darwin)
            return CacheLocation(
                evictable: URL.cachesDirectory.appending(path: "mediacache").path(percentEncoded: false),
                durable: URL.applicationSupportDirectory.appending(path: "mediacache").path(percentEncoded: false))
        #else
            return CacheLocation(
                evictable: try xdg("XDG_CACHE_HOME", else: ".cache", environment) + "/mediacache",
                durable: try xdg("XDG_DATA_HOME", else: ".local/share", environment) + "/mediacache")
        #endif
    }

    static func subfolder(_ name: String, of location: CacheLocation) -> CacheLocation {
        CacheLocation(evictable: "\(location.evictable)/\(name)", durable: "\(location.durable)/\(name)")
    }

    static func describe(_ location: CacheLocation) -> String {
        location.evictable == location.durable
            ? location.durable : "\(location.durable) and \(location.evictable)"
    }

    /// Returns a base directory. The XDG Base Directory Specification requires relative paths to be ignored.
    private static func xdg(_ name: String, else fallback: String, _ environment: [String: String]) throws -> String {
        if let path = environment[name], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure(
                .failed,
                "there is no default cache folder because $HOME isn't set; set one with --cache or $MEDIACACHE_DIR")
        }
        return "\(home)/\(fallback)"
    }

    private static func absolute(_ path: String) -> String {
        let path = URL(fileURLWithPath: path).standardizedFileURL.path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
