public import MediaCache
public import Observation

/// The observable state of a resource during playback, for an app's views. The events of the store and of the player's
/// loader update the properties.
@MainActor @Observable
public final class PlaybackState {
    /// The media type, such as `video/mp4`; nil while unknown.
    public private(set) var mediaType: String?
    /// The length in bytes; nil while unknown.
    public private(set) var length: Int64?
    /// The number of cached bytes.
    public private(set) var bytesCached: Int64 = 0
    /// The current transfer rate from the origin in bytes per second.
    public private(set) var rate = 0.0
    /// The last error of the player's requests; nil once bytes are received again. AVPlayer doesn't report the error of
    /// a request that has already received bytes: it waits.
    public private(set) var failure: CacheError?
    /// The cached fraction, from 0 to 1; nil while the length is unknown, and for streams, because the length of a
    /// playlist doesn't include its segments. `Downloads` reports the progress of streams.
    public var fractionCached: Double? {
        guard let length, !MediaType.isPlaylist(mediaType) else { return nil }
        return length == 0 ? 1 : min(1, Double(bytesCached) / Double(length))
    }

    @ObservationIgnored private var following: [Task<Void, Never>] = []

    /// Creates the state of a resource.
    ///
    /// - Parameters:
    ///   - settings: The settings of the player's transfers; nil for the settings of the store.
    ///   - events: The events of the player's loader.
    public init(
        of resource: ResourceURL, in store: CacheStore, settings: TransferSettings? = nil,
        events: AsyncStream<LoadingEvent>
    ) {
        // The user is part of the key.
        let key = store.key(of: ReadRequest(url: resource, settings: settings))
        let changes = store.events { $0.concerns(key) }
        following = [
            Task { [weak self] in
                self?.update(from: try? await store.resource(key: key))
                for await event in changes {
                    guard self?.update(from: event) == true else { continue }
                    self?.update(from: try? await store.resource(key: key))
                }
            },
            Task { [weak self] in
                for await event in events {
                    guard let self else { return }
                    self.update(from: event)
                }
            },
        ]
    }

    deinit {
        for task in following { task.cancel() }
    }

    private func update(from resource: ResourceInfo?) {
        mediaType = resource?.contentType ?? mediaType
        length = resource?.length ?? length
        bytesCached = resource?.bytesCached ?? 0
    }

    /// Updates the state. Returns whether the information about the resource must be read from the store again.
    private func update(from event: CacheEvent) -> Bool {
        switch event {
        case .progress(let progress):
            length = progress.length ?? length
            bytesCached = progress.bytesCached
            rate = progress.rate
        case .fillEnded: rate = 0
        default: return true
        }
        return false
    }

    private func update(from event: LoadingEvent) {
        switch event {
        case .opened(let mediaType, let length):
            self.mediaType = mediaType
            self.length = length ?? self.length
        case .failed(let error, _): failure = error
        case .recovered: failure = nil
        case .delayed, .dropped: break
        }
    }
}

extension CacheEvent {
    fileprivate func concerns(_ key: String) -> Bool {
        switch self {
        case .progress(let progress): progress.key == key
        case .fillEnded(key, _, _), .evicted(key, _), .representationChanged(key), .damaged(key, _): true
        default: false
        }
    }
}
