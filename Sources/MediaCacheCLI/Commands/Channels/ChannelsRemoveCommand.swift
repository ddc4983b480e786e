import ArgumentParser
import MediaCacheAPI

/// `mediacache channels remove`.
struct ChannelsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Deletes a channel, and what is kept of it.",
        discussion: """
              mediacache channels remove news

            The asset of the library that it became, if it has ended, stays; `remove` is for that.
            """,
        aliases: ["rm"]
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { try await $0.client.removeChannel(name) }
    }
}
