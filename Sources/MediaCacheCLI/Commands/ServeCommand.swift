import ArgumentParser
import MediaCacheAPI
import MediaCacheServer

/// `mediacache serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the server: playback, downloads, recordings and the web page.",
        discussion: """
            EXAMPLES:
              mediacache serve
              mediacache serve --lan             for phones and televisions at home
              mediacache serve --port 0 --cache /srv/media --max-size 500GB --max-age none
              mediacache serve --header 'https://example.org Authorization: Bearer abc'
              mediacache serve --host 0.0.0.0 --allowed-host tv.example.org
              mediacache serve --channel news=https://example.org/live.m3u8
              mediacache serve --config media.json
              mediacache config show             the effective settings and their sources

            The first line of standard output is `Listening on http://HOST:PORT`. The second is `Open` and the \
            address of the library page; it includes the key only if the output is a terminal. `mediacache url URL` \
            prints the URL for a player. \
            /healthz and /metrics (Prometheus) need no key; the API at /api/v1 needs the key that `mediacache key \
            show` prints.
            With --lan, the server also prints its addresses in your network and, on a terminal, a QR code. A phone \
            that scans it opens a page that lists and plays the library's items and channels; it can't change \
            anything, and doesn't need the key. `token revoke library` makes the code invalid. A firewall on this \
            machine must permit connections to the port. Programs that browse the network find the server as \
            _http._tcp, on Linux if avahi-publish is installed.
            Each option can be set in the environment and in a configuration file: --max-size is MEDIACACHE_MAX_SIZE \
            and "maxSize". See `mediacache config --help`.
            Live streams that --channel or the configuration declares are recorded as soon as the server starts; \
            `record` adds others. They play at /live/NAME/index.m3u8. The configuration file declares them as \
            {"channels": [{"name": "news", "url": "https://…", "keep": "24h"}]}. Other keys are maxSize, keepSegments, \
            keepFree, variant, audio and subtitles, as for `record`; headers (an object); stopped (recording doesn't \
            start); and endsWithStream (recording ends with the stream; by default it continues). In the environment, \
            MEDIACACHE_CHANNELS=news,sport lists channels, and MEDIACACHE_CHANNELS_NEWS_URL and \
            MEDIACACHE_CHANNELS_NEWS_KEEP=48h configure them. The server waits for a stream that can't be reached. \
            Removing a channel from the configuration doesn't stop its recording; use `channels stop` or `channels \
            remove`.
            SIGHUP (`systemctl reload`, or kill -HUP) reloads the configuration without interrupting responses. New \
            channels, limits of channels, the limits of the cache, of downloads and of transfers (--max-size, \
            --max-age, --min-free, --jobs, --transfers, --limit-rate, --limit-total-rate, --limit-class-rate, \
            --hours, --only-unmetered, --only-charging, --spare-power, --download-reserve, --read-ahead, --retries \
            and the timeouts) and the log level apply at once; the log lists settings that need a restart. `settings` \
            changes the settings in parentheses without a reload. An invalid configuration changes nothing.
            On Ctrl-C, the server gives running responses ten seconds to finish; a second Ctrl-C stops it at once.
            By default, only this machine has access. If --lan, --host, --public-path or --allowed-host exposes the \
            server to other machines, it rejects origins with local addresses unless --allow-net allows them.
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
            // Other users may be able to read output that goes to a pipe or a file.
            let keyPath = AccessKeyFile.inUse(at: settings.location).path
            try StandardStreams.print(
                StandardStreams.outputIsTerminal
                    ? "Open \(url)/#key=\(server.key.value)" : "Open \(url)/ and enter the key, which is in \(keyPath)")
            try await Self.printNetworkPage(of: server)
            if settings.isOnNetwork, settings.allowedNetworks.isEmpty {
                StandardStreams.printNote(
                    "streams from servers in this network are refused; to allow them, add for example "
                        + "--allow-net 192.168.1.0/24")
            }
        } catch {
            await server.stop()
            throw error
        }
        var announcement: ServiceAnnouncement?
        if settings.isOnNetwork {
            announcement = await ServiceAnnouncement.start(port: server.port, note: StandardStreams.printNote)
        }
        let reload = ConfigurationReload(of: configuration, settings, server) { try options.configuration() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await interruption.wait() }
            group.addTask {
                for await hangUp in hangUps.stream {
                    // Closing the terminal stops the server.
                    guard hangUp == .reload else { return }
                    await reload.run()
                }
            }
            await group.next()
            group.cancelAll()
        }
        await announcement?.end()
        await server.stop()
    }

    private static func printNetworkPage(of server: LocalHost) async throws {
        guard let page = await server.networkPage() else { return }
        if page.urls.isEmpty {
            StandardStreams.printNote("this machine is in no network, so no other device can reach the server")
        }
        let isTerminal = StandardStreams.outputIsTerminal
        for line in page.lines(isTerminal: isTerminal, style: TextStyle(isTerminal: isTerminal)) {
            try StandardStreams.print(line)
        }
    }
}
