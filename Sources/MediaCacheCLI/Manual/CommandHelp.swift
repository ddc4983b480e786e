import Foundation

/// A command as the argument parser describes it (`--experimental-dump-help`).
struct CommandHelp: Decodable, Sendable {
    /// An argument, an option or a flag.
    struct Argument: Decodable, Sendable, Hashable {
        /// A name, without its hyphens.
        struct Name: Decodable, Sendable, Hashable {
            var kind: String
            var name: String

            /// As it's typed.
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

        /// How it's typed: `-o, --output <file>`, `<url> ...`.
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

        /// What it's for.
        var text: String {
            let standard = defaultValue.map { kind == "flag" ? "" : " (default: \($0))" } ?? ""
            return [(abstract ?? "") + standard, discussion ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    private struct Dump: Decodable { var command: CommandHelp }

    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var arguments: [Argument]?
    var subcommands: [CommandHelp]?

    /// Reads what the parser says of its root.
    init(dump: String) throws {
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// What people should see of its arguments; `--help` and `--version` are every command's.
    var shownArguments: [Argument] {
        (arguments ?? []).filter { $0.shouldDisplay && !["help", "version"].contains($0.valueName) }
    }

    /// What people should see of its subcommands.
    var shownSubcommands: [CommandHelp] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }
}
