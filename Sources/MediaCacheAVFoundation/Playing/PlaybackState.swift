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
    /// What fraction of it is kept, from 0 to 1; nil while the length isn't known, and of a stream, whose playlist tells
    /// nothing of its segments: `Downloads` says how far those are.
    public var fractionKept: Double? {
        guard let length, !MediaType.isPlaylist(mediaType) else { return nil }
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
        let key = store.key(for: resource)
        let changes = store.events { $0.concerns(key) }
        following = [
            Task { [weak self] in
                self?.take(try? await store.resource(for: resource))
                for await event in changes {
                    guard self?.take(event) == true else { continue }
                    self?.take(try? await store.resource(for: resource))
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
        mediaType = kept?.contentType ?? mediaType
        length = kept?.length ?? length
        bytesKept = kept?.bytesKept ?? 0
    }

    /// - Returns: whether what is kept has to be looked at anew.
    private func take(_ event: CacheEvent) -> Bool {
        switch event {
        case .progress(let progress):
            length = progress.length ?? length
            bytesKept = progress.kept
            rate = progress.rate
        case .fillEnded: rate = 0
        default: return true
        }
        return false
    }

    private func take(_ event: LoadingEvent) {
        switch event {
        case .opened(let mediaType, let length):
            self.mediaType = mediaType
            self.length = length ?? self.length
        case .failed(let error, _): failure = error
        case .recovered: failure = nil
        case .unanswered, .dropped: break
        }
    }
}

extension CacheEvent {
    /// Whether it changes how far the resource of a key is. That events were dropped comes besides.
    fileprivate func concerns(_ key: String) -> Bool {
        switch self {
        case .progress(let progress): progress.key == key
        case .fillEnded(key, _, _), .evicted(key, _), .representationChanged(key), .damaged(key, _): true
        default: false
        }
    }
}
