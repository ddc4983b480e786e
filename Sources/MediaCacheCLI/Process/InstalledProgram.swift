import Foundation

/// The lookup of programs in `$PATH`.
enum InstalledProgram {
    /// Returns the path of a program; nil if it isn't in `$PATH`.
    static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
