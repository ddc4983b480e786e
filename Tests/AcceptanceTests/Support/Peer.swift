import Foundation
import TestSupport

/// The programs of others that tests use, and whether they are here.
enum Peer {
    /// The path of an installed program, or nil.
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // Debian keeps servers out of an ordinary user's path.
        return (folders + ["/usr/local/sbin", "/usr/sbin", "/sbin"])
            .map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The path of a program that has to be here.
    static func required(_ program: String) throws -> String {
        guard let path = path(of: program) else {
            throw HarnessError("\(program) is not installed: on Debian, apt-get install \(program)")
        }
        return path
    }

    /// Whether a test that needs `programs` runs; see `Prerequisite`.
    static func present(_ programs: String...) throws -> Bool {
        try programs.allSatisfy { try Prerequisite.isMet($0, path(of: $0) != nil) }
    }

    /// Runs a program to its end and gives what it printed; a failure is an error that quotes it.
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

    /// Whether tests that do things as a user without privileges run; see `Prerequisite`.
    static func canActAsNobody() throws -> Bool {
        try Prerequisite.isMet("root, with setpriv,", geteuid() == 0 && path(of: "setpriv") != nil)
    }

    /// Runs a program as such a user, and gives what it printed.
    static func asNobody(_ command: [String]) async throws -> String {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return String(decoding: try await run("setpriv", nobody + command), as: UTF8.self)
    }
}
