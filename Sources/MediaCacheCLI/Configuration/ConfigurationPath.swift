import Foundation

/// Which configuration file counts: the one that is named, by `--config` or `$MEDIACACHE_CONFIG`, else the user's, else
/// the machine's. Only one is read, so that what holds can be seen in one place.
enum ConfigurationPath {
    /// The variable that names one.
    static let variable = "MEDIACACHE_CONFIG"
    /// The machine's own, for a service.
    static let system = "/etc/mediacache/config.json"

    /// The file to read; nil where none is named, and there is none in the usual places.
    static func path(
        option: String?, environment: [String: String],
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String? {
        if let named = named(option: option, environment: environment) { return named }
        return usual(environment).first(where: exists)
    }

    /// The file that somebody names, whether it's there or not.
    static func named(option: String?, environment: [String: String]) -> String? {
        option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The usual places, the first that is there counts (XDG Base Directory Specification, which wants absolute paths).
    static func usual(_ environment: [String: String]) -> [String] {
        let folder: String? =
            if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
                folder
            } else {
                environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.config" : nil }
            }
        return (folder.map { ["\($0)/mediacache/config.json"] } ?? []) + [system]
    }
}
