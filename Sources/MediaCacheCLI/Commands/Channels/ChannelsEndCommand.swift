import ArgumentParser
import MediaCacheAPI

/// `mediacache channels end`.
struct ChannelsEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends the recording of a channel for good: it becomes an asset of the library, by its name.",
        discussion: """
              mediacache channels end news

            Windows of it play as before. What its playlists have named by then gets ten seconds to come. \
            `channels stop` is for a while.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { connection in
            _ = try await connection.client.updateChannel(name, ChannelUpdate(state: .ended))
        }
    }
}
