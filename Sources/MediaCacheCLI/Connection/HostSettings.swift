import Foundation
import Logging
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer
import MediaLibrary

/// The settings of a process that owns a cache folder, for the store and the server.
struct HostSettings: Sendable {
    var location: CacheLocation
    var limits: CacheLimits
    var keyPolicy: CacheKeyPolicy
    var admission: AdmissionPolicy
    var readAhead = ReadAhead()
    var timeLimits = TransferLimits()
    var retries = RetryPolicy()
    /// The bandwidth limits other than that of downloads, which is in ``downloads``.
    var bandwidth = BandwidthLimits()
    /// The given limits of the cache and of transfers, which take precedence over the stored ones; nil for none.
    var cacheSettings: CacheSettingsUpdate?
    var headerProfiles: HeaderProfiles
    var cookies: CookieFile?
    var netrc: NetrcFile?
    var alternatingEntityTags: AlternatingEntityTags
    var proxy: UpstreamProxy?
    /// The path of a PEM file with additional trusted certificates.
    var caFile: String?
    var host = "127.0.0.1"
    /// Whether devices in the network can list and play the library's items.
    var isOnNetwork = false
    /// The port to listen on; 0 picks a free one.
    var port = 0
    /// The names that requests may have in `Host`, besides those of this machine.
    var allowedHosts: [String] = []
    /// The local networks that every request to an origin may contact, whatever its address scope and even if the server
    /// is exposed.
    var allowedNetworks: [AddressRange] = []
    /// The path at which a reverse proxy exposes this server.
    var publicPath = ""
    var segmentsAhead = 2
    /// Whether MP4 files are served with their index at the front.
    var fastStart = false
    /// Whether other machines can read the library and the channels without a token.
    var publicRead = false
    /// Whether interrupted downloads of earlier processes are resumed.
    var resumesDownloads = false
    /// The download settings of this process, which take precedence over the stored ones; nil for none.
    var downloads: DownloadSettingsUpdate?
    /// Whether any network counts as metered.
    var isMetered = false
    var channels: [ChannelRequest] = []
    /// The time that running responses have to finish when the server stops.
    var grace = Duration.seconds(10)
    /// The given options that have no effect if another process owns the folder.
    var ownerOptions: [String] = []
    var logger: Logger
    let logLevel: AdjustableLevel

    /// Creates settings from the options of a command, the environment and the configuration file.
    ///
    /// The limits of size and age, even stored ones, apply only if they're given as options, so that a command doesn't
    /// evict data that a server would keep. The minimum free space applies in any case.
    init(
        cache: CacheOptions, limits: LimitOptions? = nil, admission: AdmissionOptions? = nil,
        origin: OriginOptions? = nil, downloads: DownloadOptions? = nil, url: ResourceURL? = nil
    ) throws {
        let groups = [limits?.values, admission?.values, origin?.values, downloads?.values].compactMap(\.self)
        let options = groups.reduce(into: [:]) { $0.merge($1) { $1 } }
        let settings = try cache.settings(options)
        try self.init(settings, url: url)
        let given = Settings(options: options, environment: [:], file: nil)
        let minimumFreeBytes = self.limits.minimumFreeBytes
        self.limits = try CacheLimits(given)
        self.limits.minimumFreeBytes = minimumFreeBytes
        var stored = cacheSettings?.limits ?? .init()
        stored.set(maximumBytes: self.limits.maximumBytes)
        stored.set(maximumAge: self.limits.maximumAge)
        cacheSettings = cacheSettings ?? CacheSettingsUpdate()
        cacheSettings?.limits = stored
        if downloads == nil { self.downloads = nil }
        ownerOptions =
            (limits?.given ?? []) + (origin?.given ?? []) + (admission?.given ?? []) + (downloads?.given ?? [])
        if !cache.dropQuery.isEmpty { ownerOptions.append("--drop-query") }
    }

    /// - Parameter url: The URL whose origin receives header fields without an origin, if they were given as options.
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
        admission.maximumDuration = try settings.read(.maxDuration, DurationText.parse)
        headerProfiles = try HeaderProfiles(
            try settings.list(.header, HeaderArgument.init(parsing:)),
            for: settings[.header]?.source == .option ? url : nil, source: settings.sourceDescription(of: .header))
        cookies = try Self.content(of: .cookies, settings, CookieFile.init)
        netrc = try Self.content(of: .netrc, settings, NetrcFile.init)
        alternatingEntityTags = try settings.flag(.compareAlternatingTags) == true ? .compareBytes : .newRepresentation
        proxy = try settings.read(.proxy, Self.proxy)
        caFile = settings[.caFile]?.text
        isOnNetwork = try settings.flag(.lan) ?? false
        // Routers of homes hide IPv4 addresses from the internet, but not those of IPv6.
        if isOnNetwork { host = "0.0.0.0" }
        if let given = settings[.host], given.source != .defaultValue { host = given.text }
        port = try settings.number(.port, in: 0...65535) ?? port
        allowedHosts = try settings.list(.allowedHost) { $0 }
        allowedNetworks = try settings.list(.allowNet, Self.network)
        publicPath = settings[.publicPath]?.text ?? publicPath
        segmentsAhead = try settings.number(.segmentsAhead, in: 0...255) ?? segmentsAhead
        fastStart = try settings.flag(.fastStart) ?? fastStart
        publicRead = try settings.flag(.publicRead) ?? publicRead
        downloads = try DownloadSettingsUpdate(settings)
        cacheSettings = try CacheSettingsUpdate(settings)
        isMetered = try settings.flag(.metered) ?? isMetered
        logLevel = AdjustableLevel(try settings.read(.logLevel, CacheOptions.level) ?? .warning)
        logger = logLevel.logger(label: "mediacache")
        try readTransfers(settings)
    }

    private mutating func readTransfers(_ settings: Settings) throws {
        timeLimits.connect = try settings.timeLimit(.connectTimeout) ?? timeLimits.connect
        timeLimits.firstByte = try settings.timeLimit(.responseTimeout) ?? timeLimits.firstByte
        timeLimits.stall = try settings.timeLimit(.stallTimeout) ?? timeLimits.stall
        retries.budget = try settings.number(.retries, in: 0...100) ?? retries.budget
        if let maximum = try settings.readAhead { readAhead = .limited(to: maximum) }
        bandwidth.total = try settings.read(.limitTotalRate, RateLimit.init(parsing:))?.bytesPerSecond
        for limit in try settings.list(.limitClassRate, ClassRate.init(parsing:)) {
            bandwidth.classes[limit.transferClass] = limit.rate.bytesPerSecond
        }
    }

    /// Returns the parsed content of the file that a setting names; nil for none.
    private static func content<Content>(
        of setting: Setting, _ settings: Settings, _ parse: (String) throws -> Content
    ) throws -> Content? {
        guard let path = settings[setting]?.text else { return nil }
        let place = "\(settings.sourceDescription(of: setting)) \(path)"
        do {
            return try parse(String(contentsOfFile: path, encoding: .utf8))
        } catch let error as CacheError {
            throw CommandFailure(.usage, "\(place): \(error.message)")
        } catch {
            throw CommandFailure(.usage, "\(place): the file can't be read as UTF-8 text")
        }
    }

    /// The settings of a server for this command only. It listens on a free loopback port.
    var forThisProcess: HostSettings {
        var settings = self
        (settings.host, settings.port, settings.isOnNetwork) = ("127.0.0.1", 0, false)
        (settings.allowedHosts, settings.publicPath, settings.publicRead) = ([], "", false)
        return settings
    }

    /// Whether no other machine can connect to the server's address.
    var listensOnlyOnLoopback: Bool { !ServerConfiguration(host: host).isExposed }

    /// The name of this machine in multicast DNS (RFC 6762), such as `studio.local`; nil if it has no name.
    static var multicastName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let label = name.split(separator: ".").first, label.lowercased() != "localhost" else { return nil }
        return "\(label.lowercased()).local"
    }

    /// Returns the URL of the server as shown to the user, with the configured host; for all addresses, that of this
    /// machine.
    func url(port: Int) -> String {
        let host = host == "0.0.0.0" ? "127.0.0.1" : host
        return "http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
