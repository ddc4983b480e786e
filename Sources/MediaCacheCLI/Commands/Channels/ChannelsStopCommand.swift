import ArgumentParser
import MediaCacheAPI

/// `mediacache channels stop`.
struct ChannelsStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops recording a channel. What is kept stays, and plays.",
        discussion: """
              mediacache channels stop news

            When the command returns, nothing of it comes any more, until `channels start`.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { connection in
            _ = try await connection.client.updateChannel(name, ChannelUpdate(state: .stopped))
        }
    }
}
