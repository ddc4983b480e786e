import Foundation

/// The environments of child processes.
enum ChildEnvironment {
    /// Returns the environment of a program that belongs to the user's session, such as a player. It's this process's
    /// environment without the settings of `mediacache`, which can contain header fields and the password of a proxy.
    static func session(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [String: String] {
        environment.filter { !$0.key.hasPrefix("MEDIACACHE_") }
    }

    /// Returns the environment of a program that reads untrusted data: the search path, the locale, and a folder for
    /// temporary files.
    static func confined(
        temporary folder: String?, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String: String] {
        var result = environment.filter { name, _ in
            ["PATH", "LANG", "TMPDIR"].contains(name) || name.hasPrefix("LC_")
        }
        if let folder { result["TMPDIR"] = folder }
        return result
    }
}
