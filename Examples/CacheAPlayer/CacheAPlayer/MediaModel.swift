import AVFoundation
import MediaCache
import MediaCacheAVFoundation
import MediaCacheServer
import MediaCacheURLSession
import MediaLibrary
import Observation

/// The model of the app's views. The articles of `MediaCacheAVFoundation` quote it.
@MainActor @Observable
final class MediaModel {
    /// A title to play.
    struct Title: Identifiable, Hashable, Sendable {
        var name: String
        var url: URL
        var id: URL { url }
    }

    /// The identifier of the background transfers. The system launches the app with it.
    nonisolated static let transfersIdentifier = "org.example.CacheAPlayer.media"

    let titles: [Title]
    private(set) var playing: (title: Title, state: PlaybackState)?
    private(set) var downloads: [DownloadStatus] = []
    private(set) var usage: Usage?
    private(set) var problem: String?
    let player = AVPlayer(playerItem: nil)

    private let store: CacheStore
    private let server: EmbeddedServer
    private let downloader: Downloads
    private let preloader: Preloader
    private let assetStore: AssetStore
    private let background: BackgroundTransfers
    private var asset: CachingAsset?
    private var stalls: (any NSObjectProtocol)?

    /// Opens the store. Downloads of an earlier launch continue with ``resume()``.
    ///
    /// - Throws: An error if the store can't be opened.
    init(_ titles: [Title]) async throws {
        self.titles = titles
        // snippet open
        var configuration = CacheConfiguration(location: try .application())
        configuration.limits.maximumBytes = 2 << 30
        let store = try await CacheStore.open(configuration, origin: URLSessionOrigin())
        // end
        // snippet transfers
        let background = try BackgroundTransfers(identifier: Self.transfersIdentifier, store: store)
        // end
        // snippet downloads
        let (assetStore, loader) = (AssetStore(of: store), PlaylistLoader(store: store))
        let downloader = Downloads(
            store: store, assetStore: assetStore, loader: loader, conditions: SystemConditions(),
            waitForTransfers: { url in await background.waitForTransfers(of: url) })
        // end
        self.store = store
        self.downloader = downloader
        self.assetStore = assetStore
        self.background = background
        preloader = Preloader(store: store, loader: loader)
        // snippet server
        server = EmbeddedServer(store: store)
        // end
        // snippet airplay
        #if !os(visionOS)
            player.allowsExternalPlayback = false
        #endif
        // end
        // snippet audio
        #if !os(macOS)
            // Without this category, audio stops in the background and follows the silent switch.
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .moviePlayback)
        #endif
        // end
        continueAfterStalls()
        await refresh()
    }

    /// Whether media plays, or waits to play.
    var isPlaying: Bool { player.timeControlStatus != .paused }

    /// Whether the player is paused because it has run out of data. It continues when it has some again.
    private(set) var isStalled = false

    /// Plays a title from its file, through the store or through the server, depending on its media.
    func play(_ title: Title) async {
        await reportingErrors {
            // snippet play
            let asset = try await CachingAsset.find(
                ResourceURL(title.url.absoluteString), from: store, server: server)
            player.automaticallyWaitsToMinimizeStalling = !asset.isLoadedByApp
            player.replaceCurrentItem(with: AVPlayerItem(asset: asset))
            player.play()
            // end
            (self.asset, offline) = (asset, nil)
            playing = (title, asset.state())
        }
        // snippet preload
        let next = titles.drop { $0 != title }.dropFirst().prefix(2)
        await preloader.rank(
            next.compactMap { try? ResourceURL($0.url.absoluteString) }, amount: .seconds(10))
        // end
    }

    /// Plays a film. A stream needs ``play(_:)``.
    func playFilm(at url: URL) throws {
        // snippet line
        player.automaticallyWaitsToMinimizeStalling = false
        player.replaceCurrentItem(with: try AVPlayerItem(url, caching: store))
        // end
        (asset, offline, playing) = (nil, nil, nil)
    }

    /// Downloads a title for playback without a network.
    func download(_ title: Title) async {
        await reportingErrors {
            // snippet download
            let asset = try await downloader.add(
                DownloadRequest(url: ResourceURL(title.url.absoluteString), title: title.name))
            // end
            _ = asset
        }
        await refresh()
    }

    /// Plays a download without using the network.
    func playOffline(_ status: DownloadStatus) async {
        await reportingErrors {
            // snippet offline
            let local = try await server.localURL(of: status.asset.id)
            guard let url = URL(string: local.text) else { return }
            player.automaticallyWaitsToMinimizeStalling = true
            player.replaceCurrentItem(with: AVPlayerItem(url: url))
            // end
            (asset, offline, playing) = (nil, local, nil)
        }
    }

    /// Sets the cover of a download to a frame of its video.
    func takeCover(of status: DownloadStatus) async {
        await reportingErrors {
            // snippet cover
            let film = try await CachingAsset.find(ResourceURL(status.asset.url), from: store, server: server)
            let picture = try await film.coverFile(at: 10, maximumSize: CGSize(width: 640, height: 640))
            _ = try await assetStore.setCover(Cover(bytes: picture, mediaType: "image/jpeg"), of: status.asset.id)
            // end
        }
        await refresh()
    }

    /// The local URL of the download that plays. The URL is valid while this reference exists.
    private var offline: LocalURL?

    /// The requests of the last item, for reporting a stall.
    var trace: LoadingTrace? { asset?.trace }

    /// Continues playback after a stall. A player that doesn't wait to minimize stalling pauses when it has no data.
    private func continueAfterStalls() {
        // snippet stalls
        stalls = NotificationCenter.default.addObserver(
            forName: AVPlayerItem.playbackStalledNotification, object: nil, queue: nil
        ) { @Sendable [weak self] _ in
            Task { @MainActor in
                guard let self, let item = self.player.currentItem else { return }
                self.isStalled = true
                defer { self.isStalled = false }
                // A full buffer must suffice, because the player requests nothing more.
                while !item.isPlaybackLikelyToKeepUp, !item.isPlaybackBufferFull, item === self.player.currentItem {
                    try? await Task.sleep(for: .milliseconds(250))
                }
                if item === self.player.currentItem { self.player.play() }
            }
        }
        // end
    }

    /// Passes the missing parts of running downloads to the system, all in one call. The system delays transfers that
    /// begin in the background at its discretion, so call this while the app is still in the foreground.
    func handOverDownloads() async {
        await reportingErrors {
            // snippet background
            let running = await downloader.statuses().filter { $0.asset.download?.state == .running }
            await downloader.stop()
            var parts: [BackgroundTransfers.Part] = []
            for status in running {
                for part in try await assetStore.contents(of: status.asset.id)?.parts ?? [] {
                    guard let url = try? ResourceURL(part.url) else { continue }
                    parts.append(
                        BackgroundTransfers.Part(
                            url, scope: part.scope ?? .publicOnly, range: part.range, kind: part.role.kind))
                }
            }
            try await background.fetch(parts)
            // end
        }
    }

    /// Closes the store before the system suspends the app.
    func suspend() async {
        // snippet suspend
        await downloader.stop()
        await server.suspend()
        // end
    }

    /// Continues after ``handOverDownloads()`` and ``suspend()``. Transfers that have received bytes continue, and
    /// downloads wait for them before they request the same parts.
    func resume() async {
        await reportingErrors {
            // snippet resume
            try await server.resume()
            // end
            // snippet taken
            try await background.cancelPending()
            await background.storeReceivedFiles()
            // end
            // snippet downloader
            try await downloader.start()
            // end
        }
        await refresh()
    }

    /// Adds the files of background transfers to the store. Call ``suspend()`` afterwards if the app isn't visible.
    func storeTransferredFiles() async {
        await reportingErrors {
            // snippet transferred
            try await server.resume()
            await background.waitForSystemEvents()
            // end
        }
    }

    func empty() async {
        await reportingErrors { _ = try await store.removeAll() }
        await refresh()
    }

    func refresh() async {
        downloads = await downloader.statuses()
        await reportingErrors { usage = try await store.usage() }
    }

    private func reportingErrors(_ work: () async throws -> Void) async {
        do {
            try await work()
            problem = nil
        } catch {
            problem = "\(error)"
        }
    }
}
