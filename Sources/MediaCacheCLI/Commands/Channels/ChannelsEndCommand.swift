import ArgumentParser
import MediaCacheAPI

/// `mediacache channels end`.
struct ChannelsEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends the recording of a channel and moves it to the library.",
        usage: "mediacache channels end <name> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels end news

            The recorded windows still play. Segments that the playlists already list are fetched for up to ten more \
            seconds. To pause a recording, use `channels stop`.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { connection in
            _ = try await connection.client.updateChannel(name, ChannelUpdate(state: .ended))
        }
    }
}
