import HTTPTypes
import Logging
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The components of a server, from which its routes are created.
struct ServerDependencies: Sendable {
    let store: CacheStore
    let configuration: ServerConfiguration
    let access: AccessControl
    let urls: ServerURLs
    let registry: ConnectionRegistry
    let metrics = ServerMetrics()
    /// The source of the settings of origin requests. For an exposed server, they permit only public addresses.
    let profiles: HeaderProfileStore
    let assetStore: AssetStore
    let contents: AssetContentsCache
    let loader: PlaylistLoader
    /// Nil, like `recordings` and `downloadSettings`, if the folder isn't writable or
    /// ``ServerConfiguration/runsDownloads`` is false.
    let downloads: Downloads?
    let recordings: Recordings?
    let downloadSettings: DownloadSettingsStore?
    let cacheSettings: CacheSettingsStore
    let preloads: PreloadStore
    let feeds: EventFeeds
    let movies: MovieCache
    let frames: FrameQueue
    let assetFrames: AssetFrames
    let fragments = FragmentService()

    init(store: CacheStore, key: AccessKey, keyFile: AccessKeyFile?, configuration: ServerConfiguration) {
        self.store = store
        self.configuration = configuration
        let access = AccessControl(
            key: key, file: keyFile, tokenFile: keyFile.map { _ in TokenFile(of: store) },
            sharesLibrary: configuration.sharesLibrary, now: { store.now })
        self.access = access
        let urls = ServerURLs(addresses: ListenAddresses(), access: access, configuration: configuration)
        self.urls = urls
        registry = ConnectionRegistry(
            maximum: configuration.limits.maximumConnections,
            maximumPerAddress: configuration.limits.maximumConnectionsPerAddress)
        let profiles = HeaderProfileStore(
            base: configuration.isExposed ? store.transfers.narrowed(to: .publicOnly) : store.transfers,
            storeScope: store.transfers.scope)
        self.profiles = profiles
        assetStore = AssetStore(of: store) { try await access.revokeAll(of: $0) }
        contents = AssetContentsCache(assetStore: assetStore)
        loader = PlaylistLoader(store: store)
        let settings: Downloads.SettingsSource = { url, identity, headers in
            try profiles.settings(for: url, as: identity, fields: HTTPFields(named: headers)) ?? profiles.base
        }
        let runsDownloads = configuration.runsDownloads && store.folderFailure == nil
        downloads =
            runsDownloads
            ? Downloads(
                store: store, assetStore: assetStore, loader: loader,
                conditions: SystemConditions(
                    isMetered: configuration.isMetered, source: configuration.meteredNetworks),
                settings: settings
            ) : nil
        recordings =
            runsDownloads
            ? Recordings(
                store: store, assetStore: assetStore, loader: loader, settings: settings, encoder: configuration.encoder
            ) : nil
        downloadSettings = downloads.map {
            DownloadSettingsStore(store: store, downloads: $0, overriding: configuration.downloads)
        }
        cacheSettings = CacheSettingsStore(store: store, overriding: configuration.cacheSettings)
        preloads = PreloadStore(store: store, loader: loader, profiles: profiles)
        feeds = EventFeeds(store: store, assetStore: assetStore, downloads: downloads, recordings: recordings)
        movies = MovieCache(store: store, profiles: profiles, contents: contents)
        frames = FrameQueue(configuration.frames)
        assetFrames = AssetFrames(queue: frames, movies: movies) { asset, isMovie in
            // Other users can read the arguments of a decoder, so the URL contains a token only if it needs one.
            if isMovie { return try urls.direct.libraryURL(of: asset.id) + "media.mp4?gaps=1" }
            let options = PlayOptions(isCachedOnly: true, identity: asset.identity)
            return try urls.direct.playURL(for: try ResourceURL(asset.url), options: options)
        }
    }

    /// The source for play URLs: fast start on top of streams on top of the store.
    private var playSource: any ByteReaderSource {
        let streams = StreamSource(
            store: store, profiles: profiles, loader: loader, publicPath: configuration.publicPrefix,
            segmentsAhead: configuration.segmentsAhead, signature: access.signature)
        return FastStartSource(store: store, base: streams, isAlwaysOn: configuration.fastStart)
    }

    var coverGenerator: CoverGenerator? {
        guard configuration.keepsCovers, let downloads else { return nil }
        return CoverGenerator(
            downloads: downloads, assetStore: assetStore, frames: assetFrames, logger: configuration.logger)
    }

    var metadataReader: MetadataReader {
        MetadataReader(store: store, assetStore: assetStore, downloads: downloads)
    }

    func makeRoutes() -> [any Route] {
        let media: [any Route] = [
            PlayRoute(
                source: playSource, profiles: profiles, control: access, fragments: fragments,
                publicPath: configuration.publicPrefix),
            LibraryRoute(
                assetStore: assetStore, movies: movies, frames: assetFrames, store: store,
                reading: LibraryReading(profiles: profiles, downloads: downloads), fragments: fragments),
        ]
        let assets = AssetsRoute(
            store: store, assetStore: assetStore, downloads: downloads, recordings: recordings,
            metadataReader: metadataReader, urls: urls)
        let api: [any Route] = [
            ResourcesRoute(store: store, assetStore: assetStore, downloads: downloads),
            PlayedRoute(store: store, assetStore: assetStore),
            assets,
            ItemsRoute(assets: assets, contents: contents),
            BundlesRoute(
                store: store, assetStore: assetStore, downloads: downloads, recordings: recordings,
                contentsCache: contents, urls: urls),
            DownloadsRoute(store: store, downloads: downloads, profiles: profiles),
            DownloadSettingsRoute(store: store, settings: downloadSettings),
            CacheSettingsRoute(store: store, settings: cacheSettings),
            ChannelsRoute(store: store, recordings: recordings, profiles: profiles, urls: urls),
            PreloadsRoute(store: store, preloads: preloads, profiles: profiles),
            ProbeRoute(store: store, assetStore: assetStore, loader: loader, profiles: profiles),
            EventsRoute(feeds: feeds),
            StoreRoute(store: store, assetStore: assetStore, profiles: profiles),
            StorageRoute(store: store, assetStore: assetStore, downloads: downloads, recordings: recordings),
            ServerRoute(store: store, profiles: profiles, urls: urls, cacheFolder: configuration.cacheFolder),
            TokensRoute(
                store: store, assetStore: assetStore, profiles: profiles, control: access, feeds: feeds, urls: urls),
        ]
        let live = recordings.map { recordings in
            LiveRoute(
                recordings: recordings, store: store, settings: store.transfers.withoutOriginRequests, movies: movies,
                frames: frames, urls: urls.direct, fragments: fragments)
        }
        let others: [any Route] = [
            PageRoute(),
            HealthRoute(),
            MetricsRoute(
                store: store, metrics: metrics, registry: registry, downloads: downloads, recordings: recordings),
        ]
        return media + (live.map { [$0] } ?? []) + api + others
    }
}
