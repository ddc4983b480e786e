import ArgumentParser
import MediaCacheAPI

/// `mediacache channels gaps`.
struct ChannelsGapsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaps",
        abstract: "Lists the gaps of a channel.",
        usage: "mediacache channels gaps <name> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels gaps news

            Prints a line for each segment of a track that is missing from the recording. --json prints an array of \
            objects: track, number, start (milliseconds since 1970), duration, gap, discontinuity, bytes.
            """
    )

    @OptionGroup var channel: ChannelReference

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let name = channel.name
        let gaps = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.gaps(of: name) }
        try StandardStreams.print(json ? JSONOutput.text(gaps) : ChannelReport.table(ofGaps: gaps, in: name))
    }
}
