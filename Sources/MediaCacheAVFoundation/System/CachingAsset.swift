#if canImport(AVFoundation)
    public import AVFoundation
    public import CoreGraphics
    import CoreImage
    import CoreMedia
    public import Foundation
    public import MediaCache

    /// An asset that plays a resource through a store, which fetches missing bytes and caches them.
    ///
    /// ```swift
    /// let item = try AVPlayerItem(url, caching: store)
    /// player.replaceCurrentItem(with: item)
    /// ```
    ///
    /// Set `AVPlayer.automaticallyWaitsToMinimizeStalling` to false if ``isLoadedByApp`` is true.
    ///
    /// An AirPlay receiver that fetches a URL itself can't reach the app or its loopback server. Turn off
    /// `AVPlayer.allowsExternalPlayback` where it exists, so that this device plays the asset. The receiver then shows
    /// the picture only if the user mirrors the screen.
    ///
    /// `Sendable` is unchecked because a subclass of `AVURLAsset` can't be checked. The added properties are constants.
    public final class CachingAsset: AVURLAsset, @unchecked Sendable {
        /// The URL of the resource.
        public let resource: ResourceURL
        private let store: CacheStore
        private let settings: TransferSettings?
        private let loading: ResourceLoaderDelegate
        /// The route. The asset's URL is valid only as long as the file or local URL in it is retained.
        private let route: PlaybackRoute

        /// Creates an asset for a media file. The player requests its bytes from the app.
        ///
        /// - Parameters:
        ///   - settings: The settings of the transfers; nil for the settings of the store.
        ///   - policy: How much to fetch ahead of the player.
        /// - Throws: `CacheError` with `invalidURL` if the system doesn't accept the URL, or with `invalidSetting` for
        ///   the URL of a stream.
        public convenience init(
            _ resource: ResourceURL, from store: CacheStore, settings: TransferSettings? = nil,
            policy: FillPolicy = .onDemand
        ) throws {
            guard !MediaType.isPlaylist(pathExtension: resource.pathExtension) else {
                throw PlaybackRoute.needsServer(resource)
            }
            try self.init(resource, store, settings, policy, route: .loader)
        }

        /// Returns an asset for any playable resource. A complete resource plays from its file, a stream or a resource
        /// of unknown length through a local server, and any other resource through requests to the app.
        ///
        /// - Parameters:
        ///   - server: The provider of local URLs, required for streams and resources of unknown length. With it, the
        ///     first bytes of a resource that isn't cached are requested to determine its type and length.
        ///   - settings: The settings of the transfers; nil for the settings of the store. They don't apply to
        ///     transfers of the server.
        ///   - policy: How much to fetch ahead of the player.
        /// - Throws: `CacheError` with `invalidURL`, or with `invalidSetting` for a stream without a server; errors of
        ///   the store and the server.
        public static func find(
            _ resource: ResourceURL, from store: CacheStore, server: (any LocalURLProvider)? = nil,
            settings: TransferSettings? = nil, policy: FillPolicy = .onDemand
        ) async throws -> CachingAsset {
            let route = try await PlaybackRoute.find(for: resource, in: store, settings: settings, server: server)
            return try CachingAsset(resource, store, settings, policy, route: route)
        }

        private init(
            _ resource: ResourceURL, _ store: CacheStore, _ settings: TransferSettings?, _ policy: FillPolicy,
            route: PlaybackRoute
        ) throws {
            self.resource = resource
            self.store = store
            self.settings = settings
            self.route = route
            loading = ResourceLoaderDelegate(
                ResourceLoader(resource, from: store, settings: settings, policy: policy))
            super.init(url: try Self.url(of: resource, by: route), options: nil)
            resourceLoader.setDelegate(loading, queue: loading.queue)
        }

        /// Returns this asset, because it is immutable and its delegate serves one asset.
        public override func copy(with zone: NSZone? = nil) -> Any { self }

        /// Whether the player requests the bytes from the app. It can't predict how fast the app provides them, so it
        /// starts and recovers late unless `AVPlayer.automaticallyWaitsToMinimizeStalling` is false. With false, it
        /// pauses when it runs out of data, and needs `play()` to continue.
        public var isLoadedByApp: Bool { if case .loader = route { true } else { false } }

        /// Returns a separate stream of future events of the player's requests, which ends when the asset is
        /// deallocated. There are no events if the asset plays from a file or a server.
        public func loadingEvents() -> AsyncStream<LoadingEvent> { loading.loader.events() }

        /// The trace of the player's requests.
        public var trace: LoadingTrace { loading.loader.trace }

        /// Returns a new observable state of the resource for an app's views. It is updated until it is deallocated.
        @MainActor public func state() -> PlaybackState {
            // The settings don't apply to transfers of the server.
            let isServed = if case .server = route { true } else { false }
            return PlaybackState(
                of: resource, in: store, settings: isServed ? nil : settings, events: loadingEvents())
        }

        /// Returns a video frame in display orientation.
        ///
        /// - Parameters:
        ///   - seconds: The time in seconds. The frame may be a nearby keyframe, which is decoded faster.
        ///   - maximumSize: The maximum size in pixels, with the aspect ratio preserved; zero for the size of the
        ///     video.
        /// - Throws: An AVFoundation error if the asset has no video or the frame can't be decoded.
        public func cover(at seconds: Double, maximumSize: CGSize = .zero) async throws -> CGImage {
            let generator = AVAssetImageGenerator(asset: self)
            generator.appliesPreferredTrackTransform = true
            generator.maximumSize = maximumSize
            return try await generator.image(at: CMTime(seconds: seconds, preferredTimescale: 90_000)).image
        }

        /// Returns the frame of ``cover(at:maximumSize:)`` as a JPEG file, for a `Cover` of `MediaLibrary`.
        ///
        /// - Throws: The errors of ``cover(at:maximumSize:)``; `CacheError` with `notMedia` if the frame can't be
        ///   encoded.
        public func coverFile(at seconds: Double, maximumSize: CGSize = .zero) async throws -> [UInt8] {
            let image = CIImage(cgImage: try await cover(at: seconds, maximumSize: maximumSize))
            // Without a profile, the colors of a wide-gamut frame would be wrong.
            guard let space = CGColorSpace(name: CGColorSpace.sRGB),
                let file = CIContext().jpegRepresentation(of: image, colorSpace: space)
            else {
                throw CacheError(.notMedia, "the frame at \(seconds) s of \(resource) can't be encoded as JPEG")
            }
            return [UInt8](file)
        }

        private static func url(of resource: ResourceURL, by route: PlaybackRoute) throws -> URL {
            let text: String
            switch route {
            case .file(let file): return URL(fileURLWithPath: file.path)
            case .server(let url): text = url.text
            case .loader: text = CachingScheme.url(for: resource)
            }
            guard let url = URL(string: text) else {
                throw CacheError(
                    .invalidURL, "the system doesn't accept the URL \(resource.withoutUserInfo); check its host")
            }
            return url
        }
    }

    extension AVPlayerItem {
        /// Creates an item that plays a media file from a store. The player requests the bytes from the app even if all
        /// of them are cached. Unlike this, ``caching(_:in:server:)`` plays a complete resource from its file.
        ///
        /// - Parameter settings: The settings of the transfers, such as header fields; nil for those of the store.
        /// - Throws: `CacheError` with `invalidURL` if the URL isn't an HTTP URL, or with `invalidSetting` for the URL
        ///   of a stream.
        public nonisolated convenience init(
            _ url: URL, caching store: CacheStore, settings: TransferSettings? = nil
        ) throws {
            self.init(asset: try CachingAsset(try ResourceURL(url.absoluteString), from: store, settings: settings))
        }

        /// The item's asset, which provides events, a trace and the playback state; nil if the item doesn't play from a
        /// store.
        public var cachingAsset: CachingAsset? { asset as? CachingAsset }

        /// Returns an item that plays any playable resource from a store.
        ///
        /// - Parameter server: The provider of local URLs, required for streams (HLS) and resources of unknown length.
        /// - Throws: The errors of ``CachingAsset/find(_:from:server:settings:policy:)``.
        public nonisolated static func caching(
            _ url: URL, in store: CacheStore, server: (any LocalURLProvider)?
        ) async throws -> AVPlayerItem {
            AVPlayerItem(
                asset: try await CachingAsset.find(try ResourceURL(url.absoluteString), from: store, server: server))
        }
    }
#endif
