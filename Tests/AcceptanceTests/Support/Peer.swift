import Foundation
import TestSupport

/// Programs of other projects that tests run.
enum Peer {
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // Debian installs servers outside a normal user's PATH.
        return (folders + ["/usr/local/sbin", "/usr/sbin", "/sbin"])
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the path of a program. If it isn't installed, throws an error.
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

    /// Runs a program and returns its output. If it fails, throws an error with its error output.
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

    static func asUnprivilegedUser(_ command: [String]) async throws -> String {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return String(decoding: try await run("setpriv", nobody + command), as: UTF8.self)
    }
}
