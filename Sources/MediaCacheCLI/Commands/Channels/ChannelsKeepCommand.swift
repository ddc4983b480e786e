import ArgumentParser
import MediaCacheAPI

/// `mediacache channels keep`.
struct ChannelsKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Shows or changes the limits of a channel.",
        usage: "mediacache channels keep <name> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels keep news
              mediacache channels keep news --keep 48h --max-size 100GB
              mediacache channels keep news --keep-segments none

            Limits without an option stay unchanged; without any options, the command only shows the limits. Segments \
            beyond the new limits are removed at once, except those of programmes.
            """
    )

    @OptionGroup var channel: ChannelReference
    @OptionGroup var retention: RetentionOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let (name, retention) = (channel.name, retention)
        let record = try await Connection.use(HostSettings(cache: cache)) { connection in
            let record = try await connection.client.channel(name)
            guard retention.isGiven else { return record }
            let update = ChannelUpdate(retention: retention.applied(to: record.retention))
            return try await connection.client.updateChannel(name, update)
        }
        try StandardStreams.print("Limits of \(name): \(ChannelReport.limits(record.retention)).")
    }
}
