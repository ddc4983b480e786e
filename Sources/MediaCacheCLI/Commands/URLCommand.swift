import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache url URL`.
struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints the playback URL for a media URL.",
        discussion: """
              mpv "$(mediacache url https://example.org/film.mp4)"
              mediacache url --mp4 https://example.org/film/index.m3u8

            The printed URL contains the standing playback token, which plays anything through this server but doesn't \
            open the API. `token revoke standing` revokes it; `token create` creates tokens for one device or one asset. \
            The server remembers a name and password in the URL until it stops; the printed URL contains neither.
            --mp4 prints the URL of the cached asset as one MP4 with its index first, which is generated while it's read: \
            from a complete stream, or a file. It doesn't contain the origin's URL, and needs no token on this machine.
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

    @Flag(help: "Print the URL of the cached asset as one MP4.")
    var mp4 = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let location = try cache.location
        guard let connection = try await Connection.running(at: location) else {
            throw CommandFailure(
                .failed,
                "No server is running for the cache folder “\(location.durable)”; start one with `mediacache serve`, "
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
            throw CommandFailure(.failed, "nothing is cached of \(url); play it or download it with `get` first")
        }
        return asset.libraryURL + "media.mp4"
    }
}
