import ArgumentParser
import MediaCacheAPI

/// `mediacache channels remove`.
struct ChannelsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Deletes a channel and its recording.",
        usage: "mediacache channels remove <name> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels remove news

            The library asset of an ended channel isn't deleted; use `remove`.
            """,
        aliases: ["rm"]
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { try await $0.client.removeChannel(name) }
    }
}
