import Foundation
import Logging
import MediaCache
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

    /// The settings that the options of a command make.
    ///
    /// - Throws: ``CommandFailure``.
    init(
        cache: CacheOptions, limits: LimitOptions? = nil, admission: AdmissionOptions? = nil,
        origin: OriginOptions? = nil, downloads: DownloadOptions? = nil, url: ResourceURL? = nil
    ) throws {
        location = try cache.location
        self.limits = limits?.passingLimits ?? CacheLimits(minimumFreeBytes: 1_000_000_000)
        ownersAlone =
            (limits?.given ?? []) + (origin?.given ?? []) + (admission?.given ?? []) + (downloads?.given ?? [])
        self.downloads = downloads?.update
        if !cache.dropQuery.isEmpty { ownersAlone.append("--drop-query") }
        keyPolicy = cache.keyPolicy
        self.admission = admission?.policy ?? .keepAll
        headerProfiles = try HeaderProfiles(origin?.header ?? [], for: url)
        cookies = try origin?.cookies.map(Self.cookies)
        alternatingEntityTags = origin?.compareAlternatingTags == true ? .compareBytes : .newRepresentation
        proxy = origin?.proxy
        caFile = origin?.caFile
        logger = cache.logger
    }

    private static func cookies(in path: String) throws -> CookieFile {
        do {
            return try CookieFile(String(contentsOfFile: path, encoding: .utf8))
        } catch let error as CacheError {
            throw CommandFailure(.usage, "--cookies \(path): \(error.message)")
        } catch {
            throw CommandFailure(.usage, "--cookies \(path): the file can't be read as text")
        }
    }

    /// The server's URL as it's told to people, with the host they named.
    func url(port: Int) -> String {
        "http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
