import ArgumentParser
import MediaCacheAPI
import MediaCacheServer

/// `mediacache serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves players: what is here from here, what isn't from its origin.",
        discussion: """
              mediacache serve
              mediacache serve --port 0 --cache /srv/media --max-size 500GB --max-age none
              mediacache serve --header 'https://media.example.org Authorization: Bearer abc'
              mediacache serve --host 0.0.0.0 --allowed-host tv.example.org
              mediacache serve --channel news=https://example.org/live.m3u8
              mediacache serve --config media.json
              mediacache config show                 what would hold, and who says so

            The first line on standard output is `Listening on http://HOST:PORT`, the second `Open` and the address of \
            the page of what is kept, with the key that it needs. `mediacache url URL` prints the URL to give to a player. /healthz and /metrics (Prometheus) are open; the API at /api/v1 takes the key \
            that lies in the cache folder.
            Each option may stand in the environment and in a configuration file, too: --max-size as \
            MEDIACACHE_MAX_SIZE and as "maxSize". `mediacache config --help` says where the file is, and what is in it.
            Live streams that --channel or the configuration declare are recorded from the start on, and further ones by \
            `record`; /live/NAME/index.m3u8 plays them. In the file they are {"channels": [{"name": "news", \
            "url": "https://…", "keep": "24h"}]}, with maxSize, keepSegments, keepFree, variant, audio, subtitles, \
            headers (an object), stopped and endsWithStream for each, as `record` has them; in the environment \
            MEDIACACHE_CHANNELS=news,sport names channels, MEDIACACHE_CHANNELS_NEWS_URL and \
            MEDIACACHE_CHANNELS_NEWS_KEEP=48h say what they are. A stream that can't be reached is waited for. What isn't \
            declared any more stays a channel, until `channels stop` or `channels remove`.
            SIGHUP (`systemctl reload`, or kill -HUP) has it read its configuration again, without a response breaking \
            off: new channels are recorded, changed limits of channels and the log level hold at once; what has to \
            wait for a start is named in the log. Where something is wrong, all stays as it was.
            Ctrl-C ends it in good order: running responses finish, for a while; a second one ends it at once.
            Bound to loopback it is this machine's alone. Bound beyond, origins with local addresses are refused, \
            unless --allow-net names them.
            """
    )

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let configuration = try options.configuration()
        let settings = try configuration.hostSettings()
        let interruption = Interruption()
        let hangUps = HangUps()
        let server = try await LocalHost.start(settings)
        server.noteFolder()
        do {
            let url = settings.url(port: server.port)
            try StandardStreams.print("Listening on \(url)")
            // A pipe or a file may be a log that others read.
            let keyPath = AccessKeyFile(location: settings.location).path
            try StandardStreams.print(
                StandardStreams.outputIsTerminal
                    ? "Open \(url)/#key=\(server.key.value)" : "Open \(url)/ and enter the key in \(keyPath)")
        } catch {
            await server.stop()
            throw error
        }
        let reload = ConfigurationReload(of: configuration, settings, server) { try options.configuration() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await interruption.wait() }
            group.addTask {
                for await hangUp in hangUps.stream {
                    // Who closes a terminal wants an end of what runs in it.
                    guard hangUp == .asked else { return }
                    await reload.run()
                }
            }
            await group.next()
            group.cancelAll()
        }
        await server.stop()
    }
}
