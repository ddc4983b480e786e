import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer

extension HostSettings {
    /// The configuration of the store.
    var storeConfiguration: CacheConfiguration {
        CacheConfiguration(
            location: location,
            limits: limits,
            transfers: TransferSettings(
                readAhead: readAhead, alternatingEntityTags: alternatingEntityTags, headerProfiles: headerProfiles,
                cookies: cookies),
            keyPolicy: keyPolicy,
            admission: admission)
    }

    /// The configuration of the server.
    var serverConfiguration: ServerConfiguration {
        ServerConfiguration(
            host: host,
            port: port,
            allowedHosts: allowedHosts,
            publicPath: publicPath,
            segmentsAhead: segmentsAhead,
            fastStart: fastStart,
            publicRead: publicRead,
            frames: FFmpeg.isInstalled ? FFmpegFrames(cacheFolder: location.evictable) : nil,
            // Other commands exit before a cover can be generated.
            keepsCovers: resumesDownloads,
            encoder: FFmpeg.isInstalled ? FFmpegEncoder() : nil,
            resumesDownloads: resumesDownloads,
            downloads: downloads,
            channels: channels,
            cacheFolder: location.durable,
            grace: grace,
            logger: logger)
    }

    /// The settings of connections to origins.
    var originSettings: CurlSettings {
        CurlSettings(
            certificateAuthorityFiles: caFile.map { [$0] } ?? [], proxy: proxy, allowedNetworks: allowedNetworks)
    }

    /// Parses a network.
    static func network(_ text: String) throws -> AddressRange {
        if let range = AddressRange(text) { return range }
        throw ArgumentTextError("“\(text)” is not a network; write it like 192.168.1.0/24 or fd00::/8")
    }

    /// Parses the URL of a proxy.
    static func proxy(_ text: String) throws -> UpstreamProxy {
        let url: ResourceURL
        do {
            url = try ResourceURL(text)
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
        guard url.scheme == "http" else {
            throw ArgumentTextError("connections to the proxy itself must use http; write it as http://host:port")
        }
        let authorization = url.credentials.map {
            UpstreamProxy.Authorization.basic(user: $0.user, password: $0.password ?? "")
        }
        let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        return UpstreamProxy(host: host, port: url.effectivePort, authorization: authorization)
    }
}
