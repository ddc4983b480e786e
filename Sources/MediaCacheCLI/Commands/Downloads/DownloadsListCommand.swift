import ArgumentParser
import MediaCacheAPI

/// `mediacache downloads list`.
struct DownloadsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists downloads in the order they were added.",
        usage: "mediacache downloads list [<options>]",
        discussion: """
            EXAMPLES:
              mediacache downloads
              mediacache downloads list --json

            STATE is queued, running, paused, waiting (with the reason), failed (with the reason), complete, or holes: \
            complete except for missing parts.

            OUTPUT:
            --json prints an array of objects: id, url, title, kind (file, stream), duration, state, reason \
            (code, message, until, retryable), bytes, length, isLengthExact, partsDone, parts, rate, secondsReady, \
            priority, added, variant, audio, subtitles, headerNames, holeCount, withCredentials. Unknown values are \
            omitted.
            """,
        aliases: ["ls"]
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var colors: ColorOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let downloads = try await Connection.use(HostSettings(cache: cache)) { try await $0.client.downloads() }
        try StandardStreams.print(json ? JSONOutput.text(downloads) : DownloadReport.table(downloads, colors.output))
    }
}
