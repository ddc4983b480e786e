import ArgumentParser

/// The failure of a command line whose subcommand doesn't exist.
enum UnknownCommand {
    /// Returns the failure of arguments that couldn't be parsed; nil unless an unknown subcommand precedes the options.
    static func failure(of arguments: [String]) -> CommandFailure? {
        var command: any ParsableCommand.Type = MediaCacheCommand.self
        var words = ["mediacache"]
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            if let subcommand = subcommands.first(where: { names(of: $0).contains(argument) }) {
                command = subcommand
                words.append(argument)
                continue
            }
            let path = words.joined(separator: " ")
            let next =
                NearestName.nearest(to: argument, among: subcommands.compactMap { $0.configuration.commandName })
                .map { "did you mean `\(path) \($0)`?" } ?? "`\(path) --help` lists the commands"
            return CommandFailure(.usage, "“\(argument)” is not a command of `\(path)`; \(next)")
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command.configuration.commandName].compactMap(\.self) + command.configuration.aliases
    }
}
