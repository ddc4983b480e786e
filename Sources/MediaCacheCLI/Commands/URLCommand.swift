import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache url URL`.
struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints the playback URL for a media URL.",
        usage: "mediacache url <url> [<options>]",
        discussion: """
            EXAMPLES:
              mpv "$(mediacache url https://example.org/film.mp4)"
              mediacache url --mp4 https://example.org/film/index.m3u8

            The printed URL contains the standing playback token, which allows playback of any URL through this server \
            but grants no access to the API. `token revoke standing` revokes it; `token create` creates tokens for one \
            device or one asset. If the media URL contains a name and password, the server remembers them until it \
            stops; the printed URL contains neither.
            --mp4 prints a URL that serves the cached asset, a file or a complete stream, as one MP4 with its index at \
            the front. The MP4 is generated while it's read. This URL doesn't contain the origin's URL. It contains \
            the token only if the server is exposed to other machines.
            """
    )

    @Argument(help: "The media URL.", transform: URLArgument.parse)
    var url: ResourceURL

    @Option(
        help: ArgumentHelp(
            "A header field for the URL's origin, until the server stops: 'Name: value'. Repeatable.",
            valueName: "field"),
        transform: HeaderArgument.init(parsing:))
    var header: [HeaderArgument] = []

    @Flag(help: "Print a URL that serves the cached asset as one MP4.")
    var mp4 = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let location = try cache.location
        guard let connection = try await Connection.running(at: location) else {
            throw CommandFailure(
                .failed,
                "no server is running for the cache folder “\(location.durable)”; start one with `mediacache serve`, "
                    + "or use `mediacache play`, which starts its own")
        }
        try await HeaderArgument.apply(header, for: url, to: connection.client)
        try StandardStreams.print(try await link(connection.client))
    }

    private func link(_ client: APIClient) async throws -> String {
        guard mp4 else { return try await client.playURL(for: url) }
        guard let asset = try await client.addAsset(for: url) else {
            throw CommandFailure(.failed, "\(url) isn't cached; play it or download it with `get` first")
        }
        return asset.libraryURL + "media.mp4"
    }
}
