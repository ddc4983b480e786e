import Foundation
import MediaCache

/// Which folders a command means.
enum CacheFolder {
    /// The folder of `--cache`, else of `MEDIACACHE_DIR`, else of the configuration file, else the platform's two: one
    /// that may be purged, one that is kept.
    ///
    /// - Throws: ``CommandFailure`` if none is known.
    static func location(_ settings: Settings, environment: [String: String]) throws -> CacheLocation {
        if let folder = settings[.cache]?.text {
            guard !folder.isEmpty else {
                throw CommandFailure(.usage, "\(settings.place(of: .cache)) names no folder")
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

    /// A folder of its own within the one or two of `location`.
    static func subfolder(_ name: String, of location: CacheLocation) -> CacheLocation {
        CacheLocation(evictable: "\(location.evictable)/\(name)", durable: "\(location.durable)/\(name)")
    }

    /// The folder or folders in words.
    static func describe(_ location: CacheLocation) -> String {
        location.evictable == location.durable
            ? location.durable : "\(location.durable) and \(location.evictable)"
    }

    /// XDG Base Directory Specification: a relative path there is to be ignored.
    private static func xdg(_ name: String, else fallback: String, _ environment: [String: String]) throws -> String {
        if let path = environment[name], path.hasPrefix("/") { return path }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure(.failed, "no cache folder: $HOME isn't set; name one with --cache or $MEDIACACHE_DIR")
        }
        return "\(home)/\(fallback)"
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path(percentEncoded: false).trimmingSuffix("/")
    }
}

extension String {
    /// Without a slash at the end; the root stays what it is.
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        count > 1 && last == suffix ? String(dropLast()) : self
    }
}
