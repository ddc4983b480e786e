import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache info URL`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Tells what is kept of one URL.",
        discussion: """
              mediacache info https://example.org/film.mp4
              open "$(mediacache info --json https://example.org/film.mp4 | jq -r .localFile)"

            A complete resource is also a file, which is printed with its path. It is the cache's own: read it, don't \
            change it; `get -o` makes a file of yours.
            Of an HLS stream's playlist, the output also says how much of the stream is kept, and whether that plays \
            without its origin.
            --json prints one object with the keys that `list --json` has; of an HLS playlist also stream: playlists \
            (url, role, isKept, segments, segmentsKept, missing) and playsWithoutOrigin.
            """
    )

    @Argument(help: "The URL.", transform: URLArgument.parse)
    var url: ResourceURL

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let url = url
        let resource = try await Connection.use(HostSettings(cache: cache)) {
            try await $0.client.resource(for: url, withFile: true)
        }
        guard let resource else { throw CommandFailure(.failed, "nothing is kept of \(url)") }
        try StandardStreams.print(json ? JSONOutput.text(resource) : ResourceReport.details(resource))
    }
}
