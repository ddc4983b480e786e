import ArgumentParser
import Foundation

/// What a server goes by.
struct ServeOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 picks a free one. (default: 9479)")
    var port: UInt16?

    @Option(help: ArgumentHelp("A host name by which the server may be asked. Can be repeated.", valueName: "name"))
    var allowedHost: [String] = []

    @Option(
        name: .customLong("allow-net"),
        help: ArgumentHelp(
            "A local network where origins may be, such as 192.168.1.0/24. Can be repeated.", valueName: "net"))
    var allowNet: [String] = []

    @Option(help: ArgumentHelp("The path below which a reverse proxy shows the server.", valueName: "path"))
    var publicPath: String?

    @Option(
        help: ArgumentHelp(
            "How many segments of an HLS stream to fetch beyond the one that a player asks for. (default: 2)",
            valueName: "count"))
    var segmentsAhead: UInt8?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Serve MP4 files whose index comes last as if it came first.",
            discussion: "So does ?faststart=1 at the end of one play URL."))
    var fastStart: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Let other machines read /library/ without a token.",
            discussion: "Else they read /k/<key>/library/. This machine always may."))
    var publicRead: Bool?

    @Option(
        name: .customLong("channel"),
        help: ArgumentHelp("Record this live stream as a channel. Can be repeated.", valueName: "name=url"),
        transform: ChannelDeclaration.init(parsing:))
    var channels: [ChannelDeclaration] = []

    @OptionGroup var downloads: DownloadOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var cache: CacheOptions

    /// What was given of the settings.
    var values: [Setting: String] {
        var values = [downloads.values, limits.values, origin.values, admission.values, cache.values]
            .reduce(into: [Setting: String]()) { $0.merge($1) { $1 } }
        values[.host] = host
        values[.port] = port.map { "\($0)" }
        if !allowedHost.isEmpty { values[.allowedHost] = allowedHost.joined(separator: "\n") }
        if !allowNet.isEmpty { values[.allowNet] = allowNet.joined(separator: "\n") }
        values[.publicPath] = publicPath
        values[.segmentsAhead] = segmentsAhead.map { "\($0)" }
        values[.fastStart] = fastStart.map { "\($0)" }
        values[.publicRead] = publicRead.map { "\($0)" }
        return values
    }

    /// The configuration that holds with these.
    ///
    /// - Throws: ``CommandFailure`` if there is something wrong with the file.
    func configuration(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServeConfiguration {
        let path = ConfigurationPath.path(option: cache.config, environment: environment)
        return ServeConfiguration(
            options: values, declared: channels, environment: environment,
            file: try path.map(ConfigurationFile.init(path:)))
    }
}
