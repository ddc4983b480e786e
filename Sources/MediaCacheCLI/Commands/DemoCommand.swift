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
        abstract: "Shows the cache at work in a browser, with nothing but this program.",
        discussion: """
              mediacache demo
              mediacache demo --reset              forget what is kept, begin anew
              mediacache demo --rate 600KB/s       a faster origin

            A small origin with a built-in clip, on a port of its own; the cache's server in front of it; and a page \
            that plays the clip and draws what is kept as it arrives. Open the address it prints.
            What came stays for the next start: stop it, start it again, and the origin sends nothing. The demo's \
            folder is its own: `demo` below the folder that the other commands use, unless --cache names one.
            """
    )

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port of the page and the cache; 0 picks a free one.")
    var port: UInt16 = 9479

    @Option(help: "The origin's port. The clip's URL has it, so another port is another resource.")
    var originPort: UInt16 = 9480

    @Option(
        help: ArgumentHelp("How fast the origin sends. (default: 200KB/s)", valueName: "rate"),
        transform: ByteRate.init(parsing:))
    var rate: ByteRate = ByteRate(bytesPerSecond: 200_000)

    @Flag(help: "Forget what is kept of the clip.")
    var reset = false

    @OptionGroup var cache: CacheOptions

    func run() async throws {
        var settings = try HostSettings(cache: cache)
        if cache.cache == nil { settings.location = CacheFolder.subfolder("demo", of: settings.location) }
        // Its origin is on this machine.
        settings.proxy = nil
        settings.host = host
        settings.port = Int(port)
        // The clip is small: with the usual windows it would be here before anybody saw it come.
        settings.readAhead = ReadAhead(initial: 64 << 10, maximum: 256 << 10)
        // A browser that holds a paused clip would hold the end up.
        settings.grace = .seconds(1)
        try await Self.refuseSecond(at: settings.location)
        let interruption = Interruption()
        let asset = mediacache_demo_clip()
        let clip = ByteBuffer(bytes: UnsafeBufferPointer(start: asset.bytes, count: asset.count))
        let origin = try await DemoOrigin.start(
            port: Int(originPort), clip: clip, bytesPerSecond: rate.bytesPerSecond)
        do {
            let routes: [any Route] = [DemoPageRoute(), DemoStateRoute(origin: origin)]
            let server = try await LocalHost.start(settings, routes: routes)
            do {
                try await tellAndWait(server, settings, interruption)
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

    private func tellAndWait(
        _ server: LocalHost, _ settings: HostSettings, _ interruption: Interruption
    ) async throws {
        server.noteFolder()
        if reset { try await server.removeAll() }
        try StandardStreams.print("Listening on \(settings.url(port: server.port))")
        try StandardStreams.print("Open \(settings.url(port: server.port))/demo#key=\(server.key.value)")
        _ = await interruption.wait()
    }

    /// One demo at a time: of a second one's two ports the origin's would be taken, which says little.
    private static func refuseSecond(at location: CacheLocation) async throws {
        guard let connection = try await Connection.running(at: location) else { return }
        let (address, owner) = (connection.client.address, connection.owner)
        await connection.close()
        throw CommandFailure(
            .failed, "the demo's folder is owned by process \(owner?.processID ?? 0), which answers at \(address)")
    }
}
