import ArgumentParser
import CMediaCacheDemo
import MediaCache
import MediaCacheAPI
import MediaCacheServer
import NIOCore

/// `mediacache demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrates the cache in a browser, with a built-in clip.",
        usage: "mediacache demo [<options>]",
        discussion: """
            EXAMPLES:
              mediacache demo
              mediacache demo --reset              start without cached data of the clip
              mediacache demo --rate 600kB/s       a faster origin

            Runs a small origin with a built-in clip, the cache's server, and a page that plays the clip and shows \
            cached ranges as they arrive. Open the printed address in a browser.
            The next run reuses the cached data: the origin sends only missing bytes. The demo uses a separate \
            folder: `demo` in the cache folder, unless --cache is given.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port of the page and the cache; 0 picks a free one.")
    var port: UInt16 = 9479

    @Option(help: "The origin's port. The clip's URL contains it, so each port has its own cached data.")
    var originPort: UInt16 = 9480

    @Option(
        help: ArgumentHelp("The rate of the origin. (default: 200kB/s)", valueName: "rate"),
        transform: ByteRate.init(parsing:))
    var rate: ByteRate = ByteRate(bytesPerSecond: 200_000)

    @Flag(help: "Remove the cached data of the clip first, including pinned data.")
    var reset = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        var settings = try HostSettings(cache: cache)
        if cache.cache == nil { settings.location = CacheFolder.subfolder("demo", of: settings.location) }
        // The origin is on this machine, and the demo isn't behind a reverse proxy.
        settings.proxy = nil
        (settings.allowedHosts, settings.publicPath) = ([], "")
        settings.host = host
        settings.port = Int(port)
        // The store of an exposed server contacts only public addresses and allowed networks.
        if settings.serverConfiguration.isExposed, let loopback = AddressRange("127.0.0.1") {
            settings.allowedNetworks.append(loopback)
        }
        // With the usual read-ahead, the small clip would be cached at once.
        settings.readAhead = ReadAhead(initial: 64 << 10, maximum: 256 << 10)
        settings.cacheSettings?.transfers?.readAhead = nil
        // Otherwise a browser that has paused the clip would delay the exit.
        settings.grace = .seconds(1)
        try await Self.rejectSecondDemo(at: settings.location)
        let interruption = Interruption()
        let asset = mediacache_demo_clip()
        let clip = ByteBuffer(bytes: UnsafeBufferPointer(start: asset.bytes, count: asset.count))
        let origin = try await DemoOrigin.start(
            port: Int(originPort), clip: clip, bytesPerSecond: rate.bytesPerSecond)
        do {
            let routes: [any Route] = [DemoPageRoute(), DemoStateRoute(origin: origin)]
            let server = try await LocalHost.start(settings, routes: routes)
            do {
                try await printAddressesAndWait(server, origin, settings, interruption)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        } catch {
            await origin.stop()
            throw error
        }
        await origin.stop()
    }

    private func printAddressesAndWait(
        _ server: LocalHost, _ origin: DemoOrigin, _ settings: HostSettings, _ interruption: Interruption
    ) async throws {
        server.noteFolder()
        if reset { try await server.removeResources(at: origin.clipURL) }
        try StandardStreams.print("Listening on \(settings.url(port: server.port))")
        try StandardStreams.print("Open \(settings.url(port: server.port))/demo#key=\(server.key.value)")
        _ = await interruption.wait()
    }

    /// Fails if another process owns the folder. Otherwise a second demo would report that the origin's port is in use.
    private static func rejectSecondDemo(at location: CacheLocation) async throws {
        guard let connection = try await Connection.running(at: location) else { return }
        throw CommandFailure(
            .failed,
            "process \(connection.owner?.processID ?? 0) owns the demo's cache folder and serves it at "
                + "\(connection.client.address); stop that process first, or use another --cache")
    }
}
