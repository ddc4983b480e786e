import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache info URL|ITEM`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows the cached data of a URL, a film or a channel.",
        usage: "mediacache info <url-or-title> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache info https://example.org/film.mp4
              mediacache info 'A film'        a title or an ID of `list`
              mediacache info --json https://example.org/film.mp4 | jq -r .localFile

            For a complete resource, the output includes the path of its file. The file belongs to the cache: read it, \
            but don't modify it; `get -o` writes a separate file.
            For the playlist of an HLS stream, the output includes the cached segments, and whether the stream plays \
            without its origin. A channel, an import and an ended recording are described as by `list`.

            OUTPUT:
            --json prints an object with the keys of `list --resources --json`; for a complete resource also localFile \
            (the path of its file); for an HLS playlist also stream: playlists (url, role, isCached, segments, segmentsCached, \
            missing) and playsWithoutOrigin. For a channel, an import and an ended recording, the keys are those of \
            `list --json`.
            """
    )

    @Argument(
        help: ArgumentHelp("The URL, ID or title of a file or a stream, or a channel.", valueName: "url-or-title"),
        completion: ServerCompletion.items, transform: AssetReference.init(parsing:))
    var media: AssetReference

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let media = media
        let (item, resource) = try await Connection.use(HostSettings(cache: cache)) {
            connection -> (LibraryItem?, ResourceRecord?) in
            let client = connection.client
            if case .url(let url) = media { return (nil, try await client.resource(for: url, withFile: true)) }
            let item = try await client.item(media)
            return (item, try await client.resource(of: item, withFile: true))
        }
        if let resource {
            let text = ResourceReport.details(resource, title: item?.title)
            return try StandardStreams.print(json ? JSONOutput.text(resource) : text)
        }
        guard let item else {
            throw CommandFailure(.failed, "\(media.text) isn't cached; play it or download it with `get` first")
        }
        try StandardStreams.print(json ? JSONOutput.text(item) : ItemReport.details(item))
    }
}
