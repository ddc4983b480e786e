import Foundation

/// The argument parser's description of a command (`--experimental-dump-help`).
struct CommandHelp: Decodable, Sendable {
    /// An argument, an option or a flag.
    struct Argument: Decodable, Sendable, Hashable {
        /// A name without hyphens.
        struct Name: Decodable, Sendable, Hashable {
            var kind: String
            var name: String

            /// The name with hyphens.
            var text: String { kind == "short" ? "-\(name)" : "--\(name)" }
        }

        var kind: String
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var discussion: String?
        var defaultValue: String?
        var isOptional: Bool
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

        /// The description with the default value.
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

    /// Decodes the description of the root command.
    init(dump: String) throws {
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// The visible arguments except `--help` and `--version`.
    var shownArguments: [Argument] {
        (arguments ?? []).filter { $0.shouldDisplay && !["help", "version"].contains($0.valueName) }
    }

    /// The visible subcommands.
    var shownSubcommands: [CommandHelp] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }
}
