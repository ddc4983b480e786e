import Foundation

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

    /// Whether a test that needs `programs` runs: when they are here, and in CI always, where their absence is a
    /// failure. Says so when it doesn't.
    static func present(_ programs: String...) -> Bool {
        let missing = programs.filter { path(of: $0) == nil }
        guard !missing.isEmpty, ProcessInfo.processInfo.environment["CI"] != "true" else { return true }
        print("skipped: \(missing.joined(separator: ", ")) not installed")
        return false
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

    /// Whether tests can do things as somebody without privileges.
    static func canActAsNobody() -> Bool {
        if geteuid() == 0, path(of: "setpriv") != nil { return true }
        print("skipped: acting as somebody else needs root, and setpriv")
        return false
    }

    /// Runs a program as such a user, and gives what it printed.
    static func asNobody(_ command: [String]) async throws -> String {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return String(decoding: try await run("setpriv", nobody + command), as: UTF8.self)
    }
}
