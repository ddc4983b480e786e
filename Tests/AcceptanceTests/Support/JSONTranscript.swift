import Foundation

/// What commands print with `--json`, by its shape: a section for each case.
struct JSONTranscript {
    /// Keys that a line of several has, with their texts.
    typealias Line = KeyValuePairs<String, String>

    /// In place of a text: the key has to be there, whatever its value is; of the lines that have it the first is taken.
    static let any = "any"

    /// The sections so far.
    private(set) var text = ""
    /// The commands that have one.
    private(set) var commands: Set<String> = []

    /// Runs a command to its end and takes down what it prints.
    ///
    /// - Parameters:
    ///   - command: the words of the command.
    ///   - title: what the case shows.
    ///   - lines: of what prints a value a line: which are compared. How many come, and when, is left to the machine; of
    ///     several that are alike the last is taken.
    @discardableResult
    mutating func run(
        _ command: String, _ title: String, _ arguments: [String] = [], lines: [Line]? = nil
    ) async throws -> String {
        let child = try Self.start(command, arguments)
        return try await end(child, command, title, lines: lines)
    }

    /// Starts a command, for a test that does something meanwhile.
    static func start(_ command: String, _ arguments: [String]) throws -> ChildProcess {
        // A variable that is no setting: there may be others, where the tests run.
        try ChildProcess(
            MediaCacheBinary.path, command.split(separator: " ").map(String.init) + arguments + ["--json"],
            environment: ["MEDIACACHE_NO_SETTING": "1"])
    }

    /// Takes down what a command printed, once it has ended.
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
        // Names and URLs are others each time.
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

    /// The line that says why, without what differs from one run to the next.
    private static func plain(_ text: String) -> String {
        let line = text.split(separator: "\n").first { $0.hasPrefix("mediacache: ") || $0.hasPrefix("Error: ") } ?? ""
        return String(line).replacing(#/(^|[ “])(?:\/+[^\/ “”]+)+\/([^\/ “”]+)/#) { "\($0.1)…/\($0.2)" }
    }
}
