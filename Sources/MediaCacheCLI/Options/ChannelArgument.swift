import ArgumentParser
import MediaLibrary

/// The name of a channel on the command line.
enum ChannelArgument {
    /// Reads a name.
    ///
    /// - Throws: ``ArgumentTextError``.
    static func parse(_ text: String) throws -> ChannelName {
        if let name = ChannelName(rawValue: text) { return name }
        throw ArgumentTextError(
            "“\(text)” can't be the name of a channel: 1 to 64 letters, digits, dots, hyphens and underscores, the "
                + "first no dot")
    }
}

/// Which channel a command is about.
struct ChannelReference: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The channel.", valueName: "name"), completion: ServerCompletion.channels,
        transform: ChannelArgument.parse)
    var name: ChannelName
}
