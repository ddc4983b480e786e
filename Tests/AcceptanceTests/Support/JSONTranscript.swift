import Foundation

/// A transcript of the structure of each command's `--json` output, with a section for each case.
struct JSONTranscript {
    /// Keys and values that identify a line of the output.
    typealias Line = KeyValuePairs<String, String>

    /// A placeholder that matches any value of a key. The first line with the key is selected.
    static let any = "any"

    private(set) var text = ""
    private(set) var commands: Set<String> = []

    /// Runs a command, and adds a section with its output.
    ///
    /// - Parameter lines: The lines to record if the command prints one value per line, because their number varies.
    ///   The last of several matching lines is recorded, or the first if the values include ``any``.
    @discardableResult
    mutating func run(
        _ command: String, _ title: String, _ arguments: [String] = [], lines: [Line]? = nil
    ) async throws -> String {
        let child = try Self.start(command, arguments)
        return try await end(child, command, title, lines: lines)
    }

    static func start(_ command: String, _ arguments: [String]) throws -> ChildProcess {
        // The tests' environment may contain unknown variables, so commands must accept one.
        try ChildProcess(
            MediaCacheBinary.path, command.split(separator: " ").map(String.init) + arguments + ["--json"],
            environment: ["MEDIACACHE_NO_SETTING": "1"])
    }

    @discardableResult
    mutating func end(
        _ child: ChildProcess, _ command: String, _ title: String, lines: [Line]? = nil
    ) async throws -> String {
        guard case .exit(let code) = try await child.end(within: .seconds(120)) else {
            throw HarnessError("mediacache \(command): \(String(describing: child.ending)): \(child.errorText)")
        }
        commands.insert(command)
        text += "==== mediacache \(command) --json: \(title)\nexit code \(code)\n"
        let output = child.outputText
        do {
            if let lines {
                for line in lines { try add(line, of: output) }
            } else if output.isEmpty {
                text += "nothing on standard output; on standard error: \(Self.plain(child.errorText))\n"
            } else {
                add(JSONShape(try JSONValue(output)))
            }
        } catch {
            throw HarnessError("mediacache \(command), \(title): \(error): \(output) \(child.errorText)")
        }
        text += "\n"
        return output
    }

    private mutating func add(_ line: Line, of output: String) throws {
        let values = try output.split(separator: "\n").map { try JSONValue($0) }
        // Identifiers and URLs differ between runs.
        let title = line.filter { !["asset", "resource"].contains($0.key) && $0.value != Self.any }.map {
            "\($0.key) \($0.value)"
        }
        .joined(separator: ", ")
        let alike = values.filter { value in
            line.allSatisfy { $0.value == Self.any ? value.has($0.key) : value.text($0.key) == $0.value }
        }
        guard let value = line.contains(where: { $0.value == Self.any }) ? alike.first : alike.last else {
            throw HarnessError("no line has \(title)")
        }
        text += "-- \(title)\n"
        add(JSONShape(value))
    }

    private mutating func add(_ shape: JSONShape) { text += shape.lines().joined(separator: "\n") + "\n" }

    /// Returns the error line without folders, which vary between runs.
    private static func plain(_ text: String) -> String {
        let line = text.split(separator: "\n").first { $0.hasPrefix("mediacache: ") || $0.hasPrefix("Error: ") } ?? ""
        return String(line).replacing(#/(^|[ “])(?:\/+[^\/ “”]+)+\/([^\/ “”]+)/#) { "\($0.1)…/\($0.2)" }
    }
}
