import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache url URL`.
struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints the URL by which any player gets a URL through the running server.",
        discussion: """
              mpv "$(mediacache url https://example.org/film.mp4)"
              mediacache url --mp4 https://example.org/film/index.m3u8

            The printed URL holds the standing playback token: it plays anything through this server, and doesn't open \
            the API. `token revoke standing` ends it; `token create` makes tokens for one device or one asset. A user's \
            name and password in the URL go to the server, which remembers them until it ends; the printed URL holds \
            neither.
            --mp4 prints the URL of what is kept as one MP4 with its index first, which is put together as it's read: \
            of a stream that is kept whole, or of a file. It doesn't contain the origin's URL, and needs no \
            token on this machine.
            """
    )

    @Argument(help: "The URL at its origin.", transform: URLArgument.parse)
    var url: ResourceURL

    @Option(
        help: ArgumentHelp(
            "A header field for the URL's origin, until the server ends: 'Name: value'. Can be repeated.",
            valueName: "field"),
        transform: HeaderArgument.init(parsing:))
    var header: [HeaderArgument] = []

    @Flag(help: "Print the URL of what is kept as one MP4.")
    var mp4 = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let location = try cache.location
        guard let connection = try await Connection.running(at: location) else {
            throw CommandFailure(
                .failed,
                "no server runs for the cache folder “\(location.durable)”; start one with `mediacache serve`, "
                    + "or use `mediacache play`, which starts its own")
        }
        do {
            try await HeaderArgument.apply(header, for: url, to: connection.client)
            try StandardStreams.print(try await link(connection.client))
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }

    private func link(_ client: APIClient) async throws -> String {
        guard mp4 else { return try await client.playURL(for: url) }
        guard let asset = try await client.addAsset(for: url) else {
            throw CommandFailure(.failed, "nothing is kept of \(url); `get` keeps it, and so does playing it")
        }
        return asset.libraryURL + "media.mp4"
    }
}
