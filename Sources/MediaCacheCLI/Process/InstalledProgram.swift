import Foundation

/// Programs of others, found where a shell would find them.
enum InstalledProgram {
    /// The path of the program called `name`; nil if it isn't in `$PATH`.
    static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
