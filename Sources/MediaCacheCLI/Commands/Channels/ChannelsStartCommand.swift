import ArgumentParser
import MediaCacheAPI

/// `mediacache channels start`.
struct ChannelsStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Records a channel again that was stopped.",
        discussion: """
              mediacache channels start news

            Where `serve` owns the cache folder, it does so at once; else the next one does. `record` with the channel's \
            URL and name does so itself.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { connection in
            try await connection.client.updateChannel(name, ChannelUpdate(state: .recording))
            guard connection.owner == nil else { return }
            StandardStreams.printError(
                "mediacache: note: nobody owns the cache folder; \(name) is recorded when `mediacache serve` does")
        }
    }
}
