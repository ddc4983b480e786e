import ArgumentParser

/// `mediacache channels`.
struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Lists, starts, stops and deletes channels.",
        discussion: """
            EXAMPLES:
              mediacache channels                    list channels and their recordings
              mediacache channels stop news
              mediacache channels start news
              mediacache channels keep news --keep 48h --max-size none
              mediacache channels gaps news
              mediacache channels programmes news --add 'Last hour' --from -3600 --to now
              mediacache channels end news           move the recording to the library
              mediacache channels remove news

            The commands are sent to the process that owns the cache folder (`serve` or `record`), if there is one. \
            `serve` records channels while it runs; its configuration file can declare more.
            """,
        subcommands: [
            ChannelsListCommand.self, ChannelsStartCommand.self, ChannelsStopCommand.self, ChannelsEndCommand.self,
            ChannelsRemoveCommand.self, ChannelsKeepCommand.self, ChannelsGapsCommand.self,
            ChannelsProgrammesCommand.self,
        ],
        defaultSubcommand: ChannelsListCommand.self
    )
}
