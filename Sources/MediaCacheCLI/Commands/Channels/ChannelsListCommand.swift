import ArgumentParser
import MediaCacheAPI

/// `mediacache channels list`.
struct ChannelsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists channels by name.",
        usage: "mediacache channels list [<options>]",
        discussion: """
            EXAMPLES:
              mediacache channels
              mediacache channels list --json

            STATE is stopped, starting, recording, waiting (with the reason), or ended. EDGE is the end of the \
            recording in UTC, RECORDED its duration, GAPS the number and duration of missing segments, LIMITS the \
            limits that `channels keep` sets.

            OUTPUT:
            --json prints an array of objects: name, url, state, reason, edge, now (the current time of the stream's \
            clock), recordedRanges (from, to), bytes, segments, gaps, gapSeconds, rate, tracks, retention (seconds, \
            bytes, segments, freeBytes), endsAt, created, programmes, liveURL. edge, now and recordedRanges are \
            milliseconds since 1970. Unknown values are omitted.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var colors: ColorOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let channels = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.channels() }
        try StandardStreams.print(json ? JSONOutput.text(channels) : ChannelReport.table(channels, colors.output))
    }
}
