import Foundation

/// The argument parser's description of a command (`--experimental-dump-help`).
struct CommandHelp: Decodable, Sendable {
    /// An argument, an option or a flag.
    struct Argument: Decodable, Sendable, Hashable {
        struct Name: Decodable, Sendable, Hashable {
            var kind: String
            var name: String

            var text: String { kind == "short" ? "-\(name)" : "--\(name)" }
        }

        var kind: String
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var discussion: String?
        var defaultValue: String?
        var isRepeating: Bool
        var shouldDisplay: Bool

        /// The synopsis: `-o, --output <file>`, `<url> ...`.
        var synopsis: String {
            let value = valueName.map { "<\($0)>" } ?? ""
            let names = (names ?? []).sorted { $0.text.count < $1.text.count }.map(\.text).joined(separator: ", ")
            let text =
                switch kind {
                case "positional": value
                case "flag": names
                default: "\(names) \(value)"
                }
            return isRepeating && kind == "positional" ? "\(text) ..." : text
        }

        var text: String {
            let defaultText = defaultValue.map { kind == "flag" ? "" : " (default: \($0))" } ?? ""
            return [(abstract ?? "") + defaultText, discussion ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    private struct Dump: Decodable { var command: CommandHelp }

    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var arguments: [Argument]?
    var subcommands: [CommandHelp]?

    init(dump: String) throws {
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    var shownArguments: [Argument] {
        (arguments ?? []).filter { $0.shouldDisplay && !["help", "version"].contains($0.valueName) }
    }

    var shownSubcommands: [CommandHelp] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }
}
