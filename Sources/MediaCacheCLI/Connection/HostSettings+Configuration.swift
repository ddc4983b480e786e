import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer

extension HostSettings {
    var storeConfiguration: CacheConfiguration {
        CacheConfiguration(
            location: location,
            limits: limits,
            transfers: TransferSettings(
                limits: timeLimits, retries: retries, readAhead: readAhead,
                alternatingEntityTags: alternatingEntityTags, headerProfiles: headerProfiles, cookies: cookies,
                netrc: netrc),
            keyPolicy: keyPolicy,
            admission: admission,
            bandwidth: bandwidth)
    }

    var serverConfiguration: ServerConfiguration {
        ServerConfiguration(
            host: host,
            port: port,
            // Browsers on other devices find this machine by its name in multicast DNS.
            allowedHosts: allowedHosts + (isOnNetwork ? [Self.multicastName].compactMap(\.self) : []),
            publicPath: publicPath,
            segmentsAhead: segmentsAhead,
            fastStart: fastStart,
            publicRead: publicRead,
            sharesLibrary: isOnNetwork,
            frames: FFmpeg.isInstalled ? FFmpegFrames(cacheFolder: location.evictable) : nil,
            // Commands other than `serve` may exit before a cover is generated.
            keepsCovers: resumesDownloads,
            encoder: FFmpeg.isInstalled ? FFmpegEncoder() : nil,
            resumesDownloads: resumesDownloads,
            downloads: downloads,
            cacheSettings: cacheSettings,
            isMetered: isMetered,
            meteredNetworks: NetworkManager(),
            channels: channels,
            cacheFolder: location.durable,
            grace: grace,
            logger: logger)
    }

    var originSettings: CurlSettings {
        CurlSettings(
            certificateAuthorityFiles: caFile.map { [$0] } ?? [], proxy: proxy, allowedNetworks: allowedNetworks)
    }

    static func network(_ text: String) throws -> AddressRange {
        if let range = AddressRange(text) { return range }
        throw ArgumentTextError("“\(text)” is not a network; write it like 192.168.1.0/24 or fd00::/8")
    }

    private static let proxySchemes: [String: (kind: UpstreamProxy.Kind, port: Int)] = [
        "http": (.http, 80), "https": (.https, 443), "socks5": (.socks5, 1080), "socks5h": (.socks5, 1080),
    ]

    static func proxy(_ text: String) throws -> UpstreamProxy {
        let parts = text.split(separator: "://", maxSplits: 1)
        guard parts.count == 2, let scheme = proxySchemes[parts[0].lowercased()] else {
            throw ArgumentTextError(
                "the URL of a proxy begins with http://, https:// or socks5://, such as http://proxy.example:3128")
        }
        let url: ResourceURL
        do {
            url = try ResourceURL("http://\(parts[1])")
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
        let authorization = url.credentials.map {
            UpstreamProxy.Authorization.basic(user: $0.user, password: $0.password ?? "")
        }
        let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        // A URL doesn't store the default port of its scheme.
        let port = url.port ?? (parts[1].prefix { $0 != "/" }.hasSuffix(":80") ? 80 : scheme.port)
        return UpstreamProxy(kind: scheme.kind, host: host, port: port, authorization: authorization)
    }
}
