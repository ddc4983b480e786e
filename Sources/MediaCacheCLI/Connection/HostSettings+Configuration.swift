import MediaCache
import MediaCacheAPI
import MediaCacheServer

extension HostSettings {
    /// What the store goes by.
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

    /// What the server goes by.
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
            // A command that passes by ends before a picture could be taken.
            keepsCovers: goesOnWithDownloads,
            encoder: FFmpeg.isInstalled ? FFmpegEncoder() : nil,
            goesOnWithDownloads: goesOnWithDownloads,
            downloads: downloads,
            channels: channels,
            cacheFolder: location.durable,
            grace: grace,
            logger: logger)
    }

    /// How origins are connected to.
    ///
    /// - Throws: ``CommandFailure`` if a network or the proxy isn't written as it should be.
    var originSettings: AsyncHTTPClientSettings {
        get throws {
            AsyncHTTPClientSettings(
                certificateAuthorityFiles: caFile.map { [$0] } ?? [],
                proxy: try proxy.map(Self.proxy),
                allowedNetworks: try allowedNetworks.map { text in
                    if let range = AddressRange(text) { return range }
                    throw CommandFailure(.usage, "“\(text)” is no network; write it as 192.168.1.0/24 or fd00::/8")
                })
        }
    }

    private static func proxy(_ text: String) throws -> UpstreamProxy {
        let url: ResourceURL
        do {
            url = try ResourceURL(text)
        } catch let error as CacheError {
            throw CommandFailure(.usage, "--proxy: \(error.message)")
        }
        guard url.scheme == "http" else {
            throw CommandFailure(.usage, "--proxy: the proxy itself is asked by http; write it as http://host:port")
        }
        let authorization = url.credentials.map {
            UpstreamProxy.Authorization.basic(user: $0.user, password: $0.password ?? "")
        }
        let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        return UpstreamProxy(host: host, port: url.effectivePort, authorization: authorization)
    }
}
