import ArgumentParser
import MediaCache
import MediaCacheServer

/// `mediacache play URL`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Plays a URL through the cache.",
        discussion: """
              mediacache play https://example.org/film.mp4
              mediacache play https://example.org/film.mp4 --with vlc
              mediacache play https://example.org/film.mp4 -- --fullscreen --start=10:00

            Without --with, the first player found is taken: mpv, vlc, ffplay. What stands after -- goes to the \
            player. If no server runs for the cache folder, one runs as long as the player does.
            The exit code is the player's.
            """
    )

    @Argument(help: "The URL.", transform: URLArgument.parse)
    var url: ResourceURL

    @Option(name: .customLong("with"), help: ArgumentHelp("The player: mpv, vlc or ffplay.", valueName: "player"))
    var player: Player?

    @Argument(parsing: .postTerminator, help: "Arguments for the player, after --.")
    var playerArguments: [String] = []

    @OptionGroup var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let player = try player.map { try $0.require() } ?? Player.firstInstalled()
        let settings = try HostSettings(
            cache: cache, limits: limits, admission: admission, origin: origin, url: self.url)
        let (url, header, arguments) = (url, origin.header, playerArguments)
        let interruption = Interruption()
        let code = try await Connection.use(settings) { connection in
            connection.noteFolder()
            try await HeaderArgument.apply(header, for: url, to: connection.client)
            let playURL = try await connection.client.playURL(for: url)
            if interruption.received != nil { throw CommandFailure(.interrupted, "interrupted") }
            let child = try ChildProcess.start(player.path, player.player.arguments(for: playURL, extra: arguments))
            return try await child.wait(forwardingTo: interruption)
        }
        if code != 0 { throw CommandFailure(passingOn: code) }
    }
}
