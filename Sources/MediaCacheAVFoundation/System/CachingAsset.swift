#if canImport(AVFoundation)
    public import AVFoundation
    public import CoreGraphics
    import CoreImage
    import CoreMedia
    public import Foundation
    public import MediaCache

    /// A resource of a store as a player's asset: what is kept is played, what is lacking is fetched, once, and kept.
    ///
    /// ```swift
    /// let item = try AVPlayerItem(url, caching: store)
    /// player.replaceCurrentItem(with: item)
    /// ```
    ///
    /// AirPlay to another device plays what that device can reach itself, which is neither the app nor loopback: turn off
    /// `AVPlayer.allowsExternalPlayback`, so that an asset of this kind is played on this one, and mirrored.
    public final class CachingAsset: AVURLAsset, @unchecked Sendable {
        /// What is played.
        public let resource: ResourceURL
        private let store: CacheStore
        private let loading: ResourceLoaderDelegate
        /// What has to be kept for the asset's URL to work.
        private let route: PlaybackRoute

        /// A film or a song, by asking the app for its bytes.
        ///
        /// - Parameters:
        ///   - resource: where it is.
        ///   - store: what it's kept in.
        ///   - settings: those of its transfers; nil takes the store's.
        ///   - policy: how far beyond the player it's filled.
        /// - Throws: `CacheError` with `invalidURL` for what the system takes for no URL, `invalidSetting` for a stream's.
        public convenience init(
            _ resource: ResourceURL, from store: CacheStore, settings: TransferSettings? = nil,
            policy: FillPolicy = .onDemand
        ) throws {
            guard !MediaType.isPlaylist(pathExtension: resource.pathExtension) else {
                throw PlaybackRoute.needsServer(resource)
            }
            try self.init(resource, store, settings, policy, route: .loader)
        }

        /// Whatever can be played: what is complete from its file, a stream through a local server, all else by asking the
        /// app for its bytes.
        ///
        /// - Parameters:
        ///   - resource: where it is.
        ///   - store: what it's kept in.
        ///   - server: what gives local URLs; streams need it.
        ///   - settings: those of its transfers; nil takes the store's. The server has its own.
        ///   - policy: how far beyond the player it's filled.
        /// - Throws: `CacheError` with `invalidURL`, or `invalidSetting` for a stream without a server; what the server
        ///   throws.
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
            self.route = route
            loading = ResourceLoaderDelegate(
                ResourceLoader(resource, from: store, settings: settings, policy: policy))
            super.init(url: try Self.url(of: resource, by: route), options: nil)
            resourceLoader.setDelegate(loading, queue: loading.queue)
        }

        /// What happens to the player's requests from now on. Each call gives a stream of its own, which ends with the
        /// asset. Of what is played from a file or a server it's empty.
        public func loadingEvents() -> AsyncStream<LoadingEvent> { loading.loader.events() }

        /// What became of the player's requests.
        public var trace: LoadingTrace { loading.loader.trace }

        /// How far it is, for views.
        @MainActor public func state() -> PlaybackState {
            PlaybackState(of: resource, in: store, events: loadingEvents())
        }

        /// A picture of it, turned as it's to be seen.
        ///
        /// - Parameters:
        ///   - seconds: the moment.
        ///   - maximumSize: what it's to fit into; zero for its own size.
        /// - Throws: what AVFoundation throws for what has no picture.
        public func cover(at seconds: Double, maximumSize: CGSize = .zero) async throws -> CGImage {
            let generator = AVAssetImageGenerator(asset: self)
            generator.appliesPreferredTrackTransform = true
            generator.maximumSize = maximumSize
            return try await generator.image(at: CMTime(seconds: seconds, preferredTimescale: 90_000)).image
        }

        /// The same as a JPEG file, as a library's `Cover` takes it.
        ///
        /// - Throws: also `CacheError` with `notMedia` for a picture that can't be written as one.
        public func coverFile(at seconds: Double, maximumSize: CGSize = .zero) async throws -> [UInt8] {
            let image = CIImage(cgImage: try await cover(at: seconds, maximumSize: maximumSize))
            let file = CIContext().jpegRepresentation(of: image, colorSpace: CGColorSpaceCreateDeviceRGB())
            guard let file else {
                throw CacheError(.notMedia, "the picture at \(seconds) s of \(resource) can't be written as JPEG")
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
                throw CacheError(.invalidURL, "the system takes \(resource.withoutUserInfo) for no URL; check its host")
            }
            return url
        }
    }

    extension AVPlayerItem {
        /// An item that plays a film or a song through a store, by asking the app for its bytes, also where all of them are
        /// kept; ``caching(_:in:server:)`` plays those from their file.
        ///
        /// - Parameters:
        ///   - url: where it is.
        ///   - store: what it's kept in.
        ///   - settings: those of its transfers, such as header fields; nil takes the store's.
        /// - Throws: `CacheError` with `invalidURL` for what isn't a URL of HTTP, `invalidSetting` for a stream's.
        public convenience init(_ url: URL, caching store: CacheStore, settings: TransferSettings? = nil) throws {
            self.init(asset: try CachingAsset(try ResourceURL(url.absoluteString), from: store, settings: settings))
        }

        /// The asset of an item that plays through a store: its events, its trace, its state. Nil for others.
        public var cachingAsset: CachingAsset? { asset as? CachingAsset }

        /// An item that plays whatever can be played through a store.
        ///
        /// - Parameters:
        ///   - url: where it is.
        ///   - store: what it's kept in.
        ///   - server: what gives local URLs; streams (HLS) need it.
        /// - Throws: as ``CachingAsset/find(_:from:server:settings:policy:)``.
        public static func caching(
            _ url: URL, in store: CacheStore, server: (any LocalURLProvider)?
        ) async throws -> AVPlayerItem {
            AVPlayerItem(
                asset: try await CachingAsset.find(try ResourceURL(url.absoluteString), from: store, server: server))
        }
    }
#endif
