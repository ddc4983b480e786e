import ArgumentParser
import MediaCacheAPI

/// `mediacache channels stop`.
struct ChannelsStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops the recording of a channel. The existing recording can still be played.",
        usage: "mediacache channels stop <name> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels stop news

            No more data is received after the command returns, until `channels start`.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { connection in
            _ = try await connection.client.updateChannel(name, ChannelUpdate(state: .stopped))
        }
    }
}
