import ArgumentParser
import Foundation
import MediaCache
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
              mediacache serve --config channels.json

            The first line on standard output is `Listening on http://HOST:PORT`. `mediacache url URL` then prints \
            the URL to give to a player. /healthz and /metrics (Prometheus) are open; the API at /api/v1 takes the key \
            that lies in the cache folder.
            Live streams that --channel or --config declare are recorded from the start on, and further ones by `record`; \
            /live/NAME/index.m3u8 plays them. The file is JSON, {"channels": [{"name": "news", "url": "https://…", \
            "keep": "24h"}]}, with maxSize, keepSegments, keepFree, variant, audio, subtitles, headers (an object), \
            stopped and endsWithStream for each, as `record` has them. The environment goes before the file: \
            MEDIACACHE_CHANNELS=news,sport names channels, MEDIACACHE_CHANNELS_NEWS_URL and \
            MEDIACACHE_CHANNELS_NEWS_KEEP=48h say what they are. A stream that can't be reached is waited for. What isn't \
            declared any more stays a channel, until `channels stop` or `channels remove`.
            Ctrl-C ends it in good order: running responses finish, for a while; a second one ends it at once.
            Bound to loopback it is this machine's alone. Bound beyond, origins with local addresses are refused, \
            unless --allow-net names them.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 picks a free one.")
    var port: UInt16 = 9479

    @Option(help: ArgumentHelp("A host name by which the server may be asked. Can be repeated.", valueName: "name"))
    var allowedHost: [String] = []

    @Option(
        name: .customLong("allow-net"),
        help: ArgumentHelp(
            "A local network where origins may be, such as 192.168.1.0/24. Can be repeated.", valueName: "net"))
    var allowNet: [String] = []

    @Option(help: ArgumentHelp("The path below which a reverse proxy shows the server.", valueName: "path"))
    var publicPath = ""

    @Option(
        help: ArgumentHelp(
            "How many segments of an HLS stream to fetch beyond the one that a player asks for.", valueName: "count"))
    var segmentsAhead: UInt8 = 2

    @Flag(
        help: ArgumentHelp(
            "Serve MP4 files whose index comes last as if it came first.",
            discussion: "So does ?faststart=1 at the end of one play URL."))
    var fastStart = false

    @Flag(
        help: ArgumentHelp(
            "Let other machines read /library/ without the key.",
            discussion: "Else they read /k/<key>/library/. This machine always may."))
    var publicRead = false

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("Record this live stream as a channel. Can be repeated.", valueName: "name=url"),
        transform: ChannelDeclaration.init(parsing:))
    var channels: [ChannelDeclaration] = []

    @Option(
        help: ArgumentHelp(
            "A file of JSON that declares channels.", discussion: "Else $MEDIACACHE_CONFIG.", valueName: "file"))
    var config: String?

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        var settings = try HostSettings(
            cache: cache, limits: limits, admission: admission, origin: origin, downloads: downloads)
        settings.goesOnWithDownloads = true
        settings.limits = limits.serverLimits
        settings.host = host
        settings.port = Int(port)
        settings.allowedHosts = allowedHost
        settings.allowedNetworks = allowNet
        settings.publicPath = publicPath
        settings.segmentsAhead = Int(segmentsAhead)
        settings.fastStart = fastStart
        settings.publicRead = publicRead
        settings.channels = try ChannelConfiguration(
            path: config, declared: channels, environment: ProcessInfo.processInfo.environment
        ).channels()
        let interruption = Interruption()
        let server = try await LocalHost.start(settings)
        server.noteFolder()
        do {
            try StandardStreams.print("Listening on \(settings.url(port: server.port))")
        } catch {
            await server.stop()
            throw error
        }
        _ = await interruption.wait()
        await server.stop()
    }
}
