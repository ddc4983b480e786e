import ArgumentParser
import MediaLibrary

/// The parsing of channel names.
enum ChannelArgument {
    static func parse(_ text: String) throws -> ChannelName {
        if let name = ChannelName(rawValue: text) { return name }
        throw ArgumentTextError(
            "“\(text)” isn't a valid channel name; use 1 to 64 ASCII letters, digits, dots, hyphens and underscores, "
                + "and don't begin with a dot")
    }
}

/// The argument of commands that apply to one channel.
struct ChannelReference: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The name of the channel.", valueName: "name"), completion: ServerCompletion.channels,
        transform: ChannelArgument.parse)
    var name: ChannelName
}
