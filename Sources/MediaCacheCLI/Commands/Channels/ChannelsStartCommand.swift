import ArgumentParser
import MediaCacheAPI

/// `mediacache channels start`.
struct ChannelsStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Resumes the recording of a stopped channel.",
        usage: "mediacache channels start <name> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels start news

            If `serve` owns the cache folder, the recording resumes at once, otherwise when `serve` is next started. \
            `record` with the channel's URL and name also resumes it.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        try await Connection.use(HostSettings(cache: cache)) { connection in
            try await connection.client.updateChannel(name, ChannelUpdate(state: .recording))
            guard connection.owner == nil else { return }
            StandardStreams.printError(
                "mediacache: note: no server is running for this cache folder; start `mediacache serve` to record \(name)"
            )
        }
    }
}
