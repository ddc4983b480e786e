import Foundation
import Logging
import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// What a process that owns a cache folder goes by: the store's settings and the server's.
struct HostSettings: Sendable {
    /// The folder.
    var location: CacheLocation
    /// How much may be kept.
    var limits: CacheLimits
    /// Which URLs are one resource.
    var keyPolicy: CacheKeyPolicy
    /// Which resources are kept.
    var admission: AdmissionPolicy
    /// How far to fill ahead of a reader.
    var readAhead = ReadAhead()
    /// Header fields by origin.
    var headerProfiles: HeaderProfiles
    /// Cookies for origins.
    var cookies: CookieFile?
    /// What a changed entity tag means where length and bytes agree.
    var alternatingEntityTags: AlternatingEntityTags
    /// The proxy to origins.
    var proxy: String?
    /// A PEM file of certificates to trust too.
    var caFile: String?
    /// The address to listen on.
    var host = "127.0.0.1"
    /// The port to listen on; 0 picks one.
    var port = 0
    /// Values of `Host` to accept besides loopback and the bound address.
    var allowedHosts: [String] = []
    /// Local addresses that origins may have all the same.
    var allowedNetworks: [String] = []
    /// The path below which a proxy in front shows the server.
    var publicPath = ""
    /// Segments of a stream to fetch beyond the one asked for.
    var segmentsAhead = 2
    /// Whether MP4 files whose index comes last are served as if it came first.
    var fastStart = false
    /// Whether other machines need no key to read the library.
    var publicRead = false
    /// Whether downloads that earlier processes left go on.
    var goesOnWithDownloads = false
    /// How many downloads run, over what is set for the folder.
    var downloads: DownloadSettingsUpdate?
    /// Channels that are recorded from the start on.
    var channels: [ChannelRequest] = []
    /// How long running responses may go on when it's to end.
    var grace = Duration.seconds(10)
    /// Options given that another owner of the folder won't heed.
    var ownersAlone: [String] = []
    /// Where the log goes.
    var logger: Logger
    /// How much goes there.
    let logLevel: AdjustableLevel

    /// The settings that the options of a command make, over the environment's and the configuration file's.
    ///
    /// Limits are heeded where they are options: a command that only passes by gives up nothing that a server with
    /// others had kept.
    ///
    /// - Throws: ``CommandFailure``.
    init(
        cache: CacheOptions, limits: LimitOptions? = nil, admission: AdmissionOptions? = nil,
        origin: OriginOptions? = nil, downloads: DownloadOptions? = nil, url: ResourceURL? = nil
    ) throws {
        let groups = [limits?.values, admission?.values, origin?.values, downloads?.values].compactMap(\.self)
        let options = groups.reduce(into: [:]) { $0.merge($1) { $1 } }
        let settings = try cache.settings(options)
        try self.init(settings, url: url)
        let passing = Settings(options: options, environment: [:], file: nil)
        self.limits = try CacheLimits(passing)
        if downloads == nil { self.downloads = nil }
        ownersAlone =
            (limits?.given ?? []) + (origin?.given ?? []) + (admission?.given ?? []) + (downloads?.given ?? [])
        if !cache.dropQuery.isEmpty { ownersAlone.append("--drop-query") }
    }

    /// What `settings` say.
    ///
    /// - Parameter url: whose origin header fields are for that name none.
    /// - Throws: ``CommandFailure``.
    init(
        _ settings: Settings, url: ResourceURL? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        location = try CacheFolder.location(settings, environment: environment)
        limits = try CacheLimits(settings)
        let dropped = try settings.list(.dropQuery) { $0 }
        keyPolicy = dropped.isEmpty ? .wholeURL : .dropping(queryItems: Set(dropped))
        admission =
            try settings.read(.maxObjectSize, ByteCount.init(parsing:)).map { .maximumLength($0.bytes) } ?? .keepAll
        headerProfiles = try HeaderProfiles(
            try settings.list(.header, HeaderArgument.init(parsing:)),
            for: settings[.header]?.source == .option ? url : nil, place: settings.place(of: .header))
        cookies = try settings.read(.cookies) { $0 }.map { try Self.cookies(in: $0, settings.place(of: .cookies)) }
        alternatingEntityTags = try settings.flag(.compareAlternatingTags) == true ? .compareBytes : .newRepresentation
        proxy = settings[.proxy]?.text
        caFile = settings[.caFile]?.text
        if let host = settings[.host]?.text { self.host = host }
        port = try settings.number(.port, in: 0...65535) ?? port
        allowedHosts = try settings.list(.allowedHost) { $0 }
        allowedNetworks = try settings.list(.allowNet) { $0 }
        publicPath = settings[.publicPath]?.text ?? publicPath
        segmentsAhead = try settings.number(.segmentsAhead, in: 0...255) ?? segmentsAhead
        fastStart = try settings.flag(.fastStart) ?? fastStart
        publicRead = try settings.flag(.publicRead) ?? publicRead
        downloads = try DownloadSettingsUpdate(settings)
        logLevel = AdjustableLevel(try settings.read(.logLevel, CacheOptions.level) ?? .warning)
        logger = logLevel.logger(label: "mediacache")
    }

    private static func cookies(in path: String, _ place: String) throws -> CookieFile {
        do {
            return try CookieFile(String(contentsOfFile: path, encoding: .utf8))
        } catch let error as CacheError {
            throw CommandFailure(.usage, "\(place) \(path): \(error.message)")
        } catch {
            throw CommandFailure(.usage, "\(place) \(path): the file can't be read as text")
        }
    }

    /// The same for a command that asks nobody but itself: where `serve` listens is that one's, and may be taken by it.
    var forOneself: HostSettings {
        var settings = self
        (settings.host, settings.port) = ("127.0.0.1", 0)
        (settings.allowedHosts, settings.publicPath, settings.publicRead) = ([], "", false)
        return settings
    }

    /// The server's URL as it's told to people, with the host they named.
    func url(port: Int) -> String {
        "http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
