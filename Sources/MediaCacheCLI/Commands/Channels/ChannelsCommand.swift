import ArgumentParser

/// `mediacache channels`.
struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Lists, starts, stops and deletes what `record` records.",
        discussion: """
              mediacache channels                                  what is recorded, and how much is kept
              mediacache channels stop news
              mediacache channels start news
              mediacache channels keep news --keep 48h --max-size none
              mediacache channels gaps news
              mediacache channels programmes news --add 'The match' --from 2026-01-31T20:00:00Z --to 2026-01-31T22:00:00Z --format mp4
              mediacache channels end news                         it's over, and becomes an asset of the library
              mediacache channels remove news

            Where a process owns the cache folder (`serve`, or a `record` that runs), it's told. A channel that is to be \
            recorded is so by `serve`, from its start on; its --config declares further ones.
            """,
        subcommands: [
            ChannelsListCommand.self, ChannelsStartCommand.self, ChannelsStopCommand.self, ChannelsEndCommand.self,
            ChannelsRemoveCommand.self, ChannelsKeepCommand.self, ChannelsGapsCommand.self,
            ChannelsProgrammesCommand.self,
        ],
        defaultSubcommand: ChannelsListCommand.self
    )
}
