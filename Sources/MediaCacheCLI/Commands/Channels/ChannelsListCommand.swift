import ArgumentParser
import MediaCacheAPI

/// `mediacache channels list`.
struct ChannelsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists channels by their names.",
        discussion: """
              mediacache channels
              mediacache channels list --json

            STATE is stopped, starting, recording, waiting (and for what), or ended. EDGE is up to when it's recorded, in \
            universal time; WINDOW how much time is kept, GAPS how many segments of it were lost, and how long they last, \
            KEEPS its limits.
            --json prints an array of objects with the keys name, url, state, reason, edge, now (the present by the \
            stream's clock), kept (from, to), bytes, segments, gaps, gapSeconds, rate, tracks, retention (seconds, bytes, \
            segments, freeBytes), endsAt, created, programmes, liveURL; edge, now and kept are milliseconds since 1970, \
            and what isn't known is left out.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var colours: ColourOptions
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let channels = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.channels() }
        try StandardStreams.print(json ? JSONOutput.text(channels) : ChannelReport.table(channels, colours.output))
    }
}
