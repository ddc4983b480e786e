import ArgumentParser
import MediaCache
import MediaCacheServer

/// `mediacache url URL`.
struct URLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url",
        abstract: "Prints the URL by which any player gets a URL through the running server.",
        discussion: """
              mpv "$(mediacache url https://example.org/film.mp4)"

            The printed URL holds the cache's key: who has it can play through this server. A user's name and password \
            in the URL go to the server, which remembers them until it ends; the printed URL holds neither.
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
            try StandardStreams.print(try await connection.client.playURL(for: url))
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }
}
