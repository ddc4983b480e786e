/// The manual page mediacache(1), generated from the help texts.
struct ManualPage: Sendable {
    var root: CommandHelp
    var version: String

    /// The minimum number of commands that share a common option.
    private static let common = 10

    var text: String {
        let shared = sharedOptions
        let commands = all.map { command(path: $0.path, $0.help, shared) }.joined(separator: "\n")
        let options = shared.map(Self.item).joined(separator: "\n")
        return """
            .TH MEDIACACHE 1 "" "MediaCache \(RoffText.escape(version))" "User Commands"
            .SH NAME
            mediacache \\- \(RoffText.escape(sentence(root.abstract)))
            .SH SYNOPSIS
            .B mediacache
            .I command
            .RI [ option \\ ...\\&]
            .SH DESCRIPTION
            \(RoffText.paragraphs(root.discussion ?? ""))
            .SH COMMANDS
            \(commands)
            .SH COMMON OPTIONS
            Most commands have these options.
            \(options)
            .SH ENVIRONMENT
            Each setting of the server has a variable. Options take precedence.
            \(variables)
            .SH FILES
            .TP
            .I \(RoffText.escape("~/.config/mediacache/config.json"))
            The user's configuration file, unless $XDG_CONFIG_HOME is set.
            .TP
            .I \(RoffText.escape(ConfigurationPath.system))
            The system's configuration file, which is read if the user has none.
            .TP
            .I \(RoffText.escape("~/.local/share/mediacache, ~/.cache/mediacache"))
            The cache folders, for pinned and for evictable data.

            """
    }

    private var all: [(path: String, help: CommandHelp)] {
        func below(_ help: CommandHelp, _ path: String) -> [(path: String, help: CommandHelp)] {
            help.shownSubcommands.flatMap {
                [("\(path) \($0.commandName)", $0)] + below($0, "\(path) \($0.commandName)")
            }
        }
        return below(root, root.commandName)
    }

    private var sharedOptions: [CommandHelp.Argument] {
        var counts: [CommandHelp.Argument: Int] = [:]
        var order: [CommandHelp.Argument] = []
        for argument in all.flatMap(\.help.shownArguments) where argument.kind != "positional" {
            if counts[argument] == nil { order.append(argument) }
            counts[argument, default: 0] += 1
        }
        return order.filter { counts[$0, default: 0] >= Self.common }
    }

    private func command(path: String, _ help: CommandHelp, _ shared: [CommandHelp.Argument]) -> String {
        let own = help.shownArguments.filter { !shared.contains($0) }
        let words = [path] + help.shownArguments.filter { $0.kind == "positional" }.map(\.synopsis)
        let parts: [String] = [
            ".SS \(RoffText.escape(words.joined(separator: " ")))", RoffText.escape(help.abstract ?? ""),
            help.discussion.map { ".PP\n" + RoffText.paragraphs($0) } ?? "", own.map(Self.item).joined(separator: "\n"),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n").replacing(".PP\n.PP", with: ".PP")
    }

    private var variables: String {
        let items = Setting.allCases.map { setting in
            let defaultText = setting.defaultValue.map { " (default: \($0))" } ?? ""
            return ".TP\n.B \(setting.variable)\n\(RoffText.escape("As \(setting.option).\(defaultText)"))"
        }
        let others = [
            (ConfigurationPath.variable, "The configuration file, as --config."),
            ("MEDIACACHE_CHANNELS", "The names of channels to record, separated by commas."),
            ("NO_COLOR", "Disables colors if it isn't empty, unless --color is given."),
        ]
        return (items + others.map { ".TP\n.B \($0.0)\n\(RoffText.escape($0.1))" }).joined(separator: "\n")
    }

    private static func item(_ argument: CommandHelp.Argument) -> String {
        ".TP\n.B \(RoffText.escape(argument.synopsis))\n\(RoffText.escape(argument.text))"
    }

    /// Returns a sentence without its initial capital and full stop, as is usual in NAME sections.
    private func sentence(_ text: String?) -> String {
        let text = (text ?? "")[...]
        return text.prefix(1).lowercased() + (text.last == "." ? text.dropLast() : text).dropFirst()
    }
}
