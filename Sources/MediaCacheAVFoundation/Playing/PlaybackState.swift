public import MediaCache
public import Observation

/// How far a resource is that a player plays, for an app's views.
///
/// It follows the store and the player's loader while it lives.
@MainActor @Observable
public final class PlaybackState {
    /// The media type, as `video/mp4`, once known.
    public private(set) var mediaType: String?
    /// How many bytes the resource has, once known.
    public private(set) var length: Int64?
    /// How many of them are kept.
    public private(set) var bytesKept: Int64 = 0
    /// Bytes per second that come from the origin.
    public private(set) var rate = 0.0
    /// Why a request of the player's failed last; nil once bytes come again. A player that has got bytes doesn't say so: it
    /// waits.
    public private(set) var failure: CacheError?
    /// What fraction of it is kept, from 0 to 1; nil while the length isn't known.
    public var fractionKept: Double? {
        guard let length else { return nil }
        return length == 0 ? 1 : min(1, Double(bytesKept) / Double(length))
    }

    @ObservationIgnored private var following: [Task<Void, Never>] = []

    /// The state of a resource.
    ///
    /// - Parameters:
    ///   - resource: what is played.
    ///   - store: where it's kept.
    ///   - events: what happens to the player's requests.
    public init(of resource: ResourceURL, in store: CacheStore, events: AsyncStream<LoadingEvent>) {
        let (key, changes) = (store.key(for: resource), store.events())
        following = [
            Task { [weak self] in
                let kept = try? await store.resource(for: resource)
                self?.take(kept)
                for await event in changes {
                    guard let self else { return }
                    self.take(event, of: key)
                }
            },
            Task { [weak self] in
                for await event in events {
                    guard let self else { return }
                    self.take(event)
                }
            },
        ]
    }

    deinit {
        for task in following { task.cancel() }
    }

    private func take(_ kept: ResourceInfo?) {
        guard let kept else { return }
        mediaType = mediaType ?? kept.contentType
        length = length ?? kept.length
        bytesKept = max(bytesKept, kept.bytesKept)
    }

    private func take(_ event: CacheEvent, of key: String) {
        switch event {
        case .progress(let progress) where progress.key == key:
            length = progress.length ?? length
            // A failure is over when more than before is here.
            if progress.kept > bytesKept { failure = nil }
            bytesKept = progress.kept
            rate = progress.rate
        case .evicted(key, let bytes): bytesKept = max(0, bytesKept - bytes)
        case .representationChanged(key): bytesKept = 0
        default: break
        }
    }

    private func take(_ event: LoadingEvent) {
        switch event {
        case .opened(let mediaType, let length):
            self.mediaType = mediaType
            self.length = length ?? self.length
            failure = nil
        case .failed(let error, _): failure = error
        case .unanswered, .dropped: break
        }
    }
}
