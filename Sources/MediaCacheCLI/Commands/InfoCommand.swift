import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache info URL`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows the cached data of a URL.",
        usage: "mediacache info <url> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache info https://example.org/film.mp4
              mediacache info --json https://example.org/film.mp4 | jq -r .localFile

            For a complete resource, the output includes the path of its file. The file belongs to the cache: read it, \
            but don't modify it; `get -o` writes a separate file.
            For the playlist of an HLS stream, the output includes the cached segments, and whether the stream plays \
            without its origin.

            OUTPUT:
            --json prints an object with the keys of `list --json`; for a complete resource also localFile (the path \
            of its file); for an HLS playlist also stream: playlists (url, role, isCached, segments, segmentsCached, \
            missing) and playsWithoutOrigin.
            """
    )

    @Argument(help: "The URL of a file or a playlist.", transform: URLArgument.parse)
    var url: ResourceURL

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let url = url
        let resource = try await Connection.use(HostSettings(cache: cache)) {
            try await $0.client.resource(for: url, withFile: true)
        }
        guard let resource else {
            throw CommandFailure(.failed, "\(url) isn't cached; play it or download it with `get` first")
        }
        try StandardStreams.print(json ? JSONOutput.text(resource) : ResourceReport.details(resource))
    }
}
