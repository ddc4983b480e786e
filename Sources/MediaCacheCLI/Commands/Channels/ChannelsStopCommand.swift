import ArgumentParser
import MediaCacheAPI

/// `mediacache channels stop`.
struct ChannelsStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops the recording of a channel. The existing recording can still be played.",
        discussion: """
              mediacache channels stop news

            No more data is received after the command returns, until `channels start`.
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
