import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI

/// `mediacache play URL|ITEM`.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Plays a URL, a film or a channel through the cache.",
        discussion: """
            EXAMPLES:
              mediacache play https://example.org/film.mp4
              mediacache play 'A film'                         a title or an ID from `list`
              mediacache play news                             a channel's live edge
              mediacache play https://example.org/film.mp4 --with vlc
              mediacache play https://example.org/film.mp4 -- --fullscreen --start=10:00

            Without --with, the command uses the first installed player of mpv, vlc and ffplay. Arguments after -- \
            are passed to the player. If no server is running for the cache folder, one is started and runs until the player exits.
            The player receives a separate token, which is revoked when the player exits, or expires after a week.

            OUTPUT:
            The exit code is the player's.
            """
    )

    /// The validity of a player's token in seconds, which matters only if the command is killed before it revokes the
    /// token.
    private static let tokenValidity = 7 * 86_400.0

    @Argument(
        help: ArgumentHelp("The URL, ID or title of the media to play, or a channel.", valueName: "url-or-title"),
        completion: ServerCompletion.items, transform: AssetReference.init(parsing:))
    var media: AssetReference

    @Option(name: .customLong("with"), help: ArgumentHelp("The player: mpv, vlc or ffplay.", valueName: "player"))
    var player: Player?

    @Argument(parsing: .postTerminator, help: "Arguments for the player, after --.")
    var playerArguments: [String] = []

    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let player = try player.map { try $0.require() } ?? Player.firstInstalled()
        let url = origin.header.isEmpty ? media.url : try await media.originURL(in: cache)
        let settings = try HostSettings(cache: cache, limits: limits, admission: admission, origin: origin, url: url)
        let (media, header, arguments) = (media, origin.header, playerArguments)
        let cacheFolder = settings.location.evictable
        let interruption = Interruption(includingHangUps: true)
        let code = try await Connection.use(settings, waits: false) { connection in
            connection.noteFolder()
            if let url { try await HeaderArgument.apply(header, for: url, to: connection.client) }
            let code = try await Self.withPlayURL(of: media, connection.client) { playURL in
                if interruption.received != nil { throw CommandFailure(.interrupted, "interrupted") }
                // The player may read its playlist again while it runs.
                let folder = try ScratchFolder(in: cacheFolder)
                defer { folder.remove() }
                let playlist = try player.player.writePlaylist(of: playURL, in: folder)
                let child = try ChildProcess.start(
                    player.path, player.player.arguments(forPlaylist: playlist, extra: arguments))
                return try await child.wait(forwardingTo: interruption)
            }
            // Ctrl-C ends the wait for other commands.
            if interruption.received == nil {
                _ = try await interruption.cancelling { await connection.waitForOtherDownloads() }
            }
            return code
        }
        if code != 0 { throw CommandFailure(exitCode: code) }
    }

    /// Runs `body` with a play URL, and revokes its token afterwards.
    private static func withPlayURL(
        of media: AssetReference, _ client: APIClient, _ body: (String) async throws -> Int32
    ) async throws -> Int32 {
        let expires = Date(timeIntervalSinceNow: tokenValidity)
        let token = try await client.issuePlayToken(
            for: media, label: "play, process \(ProcessInfo.processInfo.processIdentifier)", expires: expires)
        let result: Result<Int32, any Error>
        do {
            guard let playURL = token.playURL else { throw CommandFailure(.failed, "the server returned no play URL") }
            result = .success(try await body(playURL))
        } catch {
            result = .failure(error)
        }
        do {
            try await client.revokeToken(token.id)
        } catch let problem as Problem where problem.status == 404 {
            // The token was revoked during playback.
        } catch {
            StandardStreams.printError(
                "mediacache: note: the player's token \(token.id) couldn't be revoked: \(error); use "
                    + "`mediacache token revoke \(token.id)`")
        }
        return try result.get()
    }
}
