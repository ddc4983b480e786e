import Foundation

/// The path of the configuration file: the value of `--config` or `$MEDIACACHE_CONFIG`, the user's file, or the
/// system's. Only one file is read.
enum ConfigurationPath {
    static let variable = "MEDIACACHE_CONFIG"
    /// The system's file, for services.
    static let system = "/etc/mediacache/config.json"

    /// Returns the path of the file to read; nil if none is given and no default file exists.
    static func path(
        option: String?, environment: [String: String],
        exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String? {
        let named = option ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        return named ?? defaults(environment).first(where: exists)
    }

    /// Returns the default paths in order of precedence. The XDG Base Directory Specification requires relative paths
    /// to be ignored.
    static func defaults(_ environment: [String: String]) -> [String] {
        let folder: String? =
            if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
                folder
            } else {
                environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.config" : nil }
            }
        return (folder.map { ["\($0)/mediacache/config.json"] } ?? []) + [system]
    }
}
