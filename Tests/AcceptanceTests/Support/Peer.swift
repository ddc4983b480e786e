import Foundation
import TestSupport

/// Programs of other projects that tests run.
enum Peer {
    /// Returns the path of an installed program, or nil.
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // Debian installs servers outside a normal user's PATH.
        return (folders + ["/usr/local/sbin", "/usr/sbin", "/sbin"])
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the path of a required program.
    ///
    /// - Throws: `HarnessError` if the program isn't installed.
    static func required(_ program: String) throws -> String {
        guard let path = path(of: program) else {
            throw HarnessError("\(program) is not installed: on Debian, apt-get install \(program)")
        }
        return path
    }

    /// Returns whether all programs are installed; see `Prerequisite`.
    static func isInstalled(_ programs: String...) throws -> Bool {
        try programs.allSatisfy { try Prerequisite.isMet($0, path(of: $0) != nil) }
    }

    /// Runs a program and returns its output.
    ///
    /// - Throws: `HarnessError` with the program's error output if it fails.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], within limit: Duration = .seconds(60)) async throws
        -> Data
    {
        let child = try ChildProcess(required(program), arguments)
        let ending = try await child.end(within: limit)
        guard ending == .exit(0) else {
            let command = ([program] + arguments).joined(separator: " ")
            throw HarnessError("\(command): \(ending): \(child.errorText.suffix(2000))")
        }
        return child.output
    }

    /// Returns whether programs can run as an unprivileged user; see `Prerequisite`.
    static func canActAsUnprivilegedUser() throws -> Bool {
        try Prerequisite.isMet("root, with setpriv,", geteuid() == 0 && path(of: "setpriv") != nil)
    }

    /// Runs a program as an unprivileged user, and returns its output.
    static func asUnprivilegedUser(_ command: [String]) async throws -> String {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return String(decoding: try await run("setpriv", nobody + command), as: UTF8.self)
    }
}
