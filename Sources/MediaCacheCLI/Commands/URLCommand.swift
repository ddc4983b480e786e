import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache url URL|ITEM`.
struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints the playback URL of a media URL, a film or a channel.",
        usage: "mediacache url <url-or-title> [<options>]",
        discussion: """
            EXAMPLES:
              mpv "$(mediacache url https://example.org/film.mp4)"
              mediacache url --mp4 https://example.org/film/index.m3u8
              mediacache url 'A film'         a title or an ID from `list`
              mediacache url news             a channel's live edge

            Requires a running `mediacache serve`. For a channel, and for the ID or title of an ended download, import \
            or recording, the printed URL doesn't contain the origin's, and contains a token only if the server is \
            exposed to other machines. For a media URL and any other item, it contains the standing playback token, \
            which allows playback of any URL through this server but grants no access to the API. `token revoke \
            standing` revokes it; `token create` creates tokens for one device or one asset. If the media URL contains \
            a name and password, the server remembers them until it stops; the printed URL contains neither.
            --mp4 prints a URL that serves the cached asset, a file or a complete stream, as one MP4 with its index at \
            the front. The MP4 is generated while it's read. This URL doesn't contain the origin's URL. It contains \
            the token only if the server is exposed to other machines.
            """
    )

    @Argument(
        help: ArgumentHelp("The URL, ID or title of the media, or a channel.", valueName: "url-or-title"),
        completion: ServerCompletion.items, transform: AssetReference.init(parsing:))
    var media: AssetReference

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
        if !header.isEmpty {
            let url = try await connection.client.originURL(of: media)
            try await HeaderArgument.apply(header, for: url, to: connection.client)
        }
        try StandardStreams.print(try await link(connection.client))
    }

    private func link(_ client: APIClient) async throws -> String {
        guard mp4 else { return try await client.playURL(of: media) }
        guard let asset = try await client.addAsset(of: media) else {
            throw CommandFailure(.failed, "\(media.text) isn't cached; play it or download it with `get` first")
        }
        return asset.libraryURL + "media.mp4"
    }
}
