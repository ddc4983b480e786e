import ArgumentParser
import Foundation

/// The options of the server.
struct ServeOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Let the devices in your network play the library.",
            discussion: """
                Listens on all IPv4 addresses unless --host is set, and prints the address for other devices and its \
                QR code.
                """))
    var lan: Bool?

    @Option(help: "The port to listen on; 0 picks a free one. (default: 9479)")
    var port: UInt16?

    @Option(help: ArgumentHelp("A host name to accept in requests, besides local ones. Repeatable.", valueName: "name"))
    var allowedHost: [String] = []

    @Option(
        name: .customLong("allow-net"),
        help: ArgumentHelp(
            "Allow origins in this local network, such as 192.168.1.0/24. Repeatable.", valueName: "net"))
    var allowNet: [String] = []

    @Option(help: ArgumentHelp("The path at which a reverse proxy exposes this server.", valueName: "path"))
    var publicPath: String?

    @Option(
        help: ArgumentHelp(
            "The number of HLS segments to fetch ahead of the player. (default: 2)",
            valueName: "count"))
    var segmentsAhead: UInt8?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Serve MP4 files with their index at the front.",
            discussion: "For a single play URL, append ?faststart=1."))
    var fastStart: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Allow other machines to read /library/ and /live/ without a token.",
            discussion: """
                Otherwise they need a token in the path, /k/<token>/…. This machine needs one too if --lan, --host, \
                --public-path or --allowed-host exposes the server.
                """))
    var publicRead: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Treat every network as metered.",
            discussion: """
                Otherwise the system decides, on Linux NetworkManager. Downloads wait on metered networks with \
                --only-unmetered.
                """))
    var metered: Bool?

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("Record a live stream as a channel. Repeatable.", valueName: "name=url"),
        transform: ChannelDeclaration.init(parsing:))
    var channels: [ChannelDeclaration] = []

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    var values: [Setting: String] {
        var values = [
            downloads.values, policy.values, limits.values, origin.values, admission.values, cache.values,
        ]
        .reduce(into: [Setting: String]()) { $0.merge($1) { $1 } }
        values[.host] = host
        values[.lan] = lan.map { "\($0)" }
        values[.port] = port.map { "\($0)" }
        if !allowedHost.isEmpty { values[.allowedHost] = allowedHost.joined(separator: "\n") }
        if !allowNet.isEmpty { values[.allowNet] = allowNet.joined(separator: "\n") }
        values[.publicPath] = publicPath
        values[.segmentsAhead] = segmentsAhead.map { "\($0)" }
        values[.fastStart] = fastStart.map { "\($0)" }
        values[.publicRead] = publicRead.map { "\($0)" }
        values[.metered] = metered.map { "\($0)" }
        return values
    }

    func configuration(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServeConfiguration {
        let path = ConfigurationPath.path(option: cache.config, environment: environment)
        return ServeConfiguration(
            options: values, declared: channels, environment: environment,
            file: try path.map(ConfigurationFile.init(path:)))
    }
}
