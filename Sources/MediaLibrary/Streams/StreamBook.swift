import HLS
public import MediaCache
import Synchronization

/// The playlists that were asked for last: which segments come next, and since when a name means the live segment
/// that it does.
public final class StreamBook: Sendable {
    /// Streams that are remembered: a few, with their renditions.
    private static let capacity = 32

    /// What is known of one playlist. Its views are the whole, and what a delta update last left of it.
    private struct Stream {
        /// Without delivery directives, which ask for another view of the same.
        var url: String
        /// The last asked for comes last.
        var views: [(id: Int, index: StreamIndex)] = []
        var names = SegmentNames()
        /// When one on demand was last found to be another than before, if ever: so may be its segments.
        var changed: Duration?
    }

    private struct State {
        var nextID = 0
        /// The least recently asked for first.
        var streams: [Stream] = []
    }

    private let state = Mutex(State())

    /// An empty book.
    public init() {}

    /// Notes the segments of a playlist that was just asked for, and what they need.
    ///
    /// - Parameters:
    ///   - playlist: the playlist.
    ///   - variables: what it may import (RFC 8216bis §4.4.2.3).
    ///   - moment: when it came, by `CacheStore.monotonicTime`.
    public func note(_ playlist: LoadedPlaylist, variables: [String: String] = [:], at moment: Duration) {
        let url = DeliveryDirectives.removed(from: playlist.url.description)
        let views = state.withLock { state in state.streams.first { $0.url == url }?.views ?? [] }
        let known = views.first { $0.index.isOf(playlist, variables: variables) }
        // Where a live stream ends, its last names are as new as those before were.
        let isLive = playlist.isLive || views.contains { $0.index.isLive }
        let index = known?.index ?? StreamIndex(playlist, variables: variables, isLive: isLive)
        state.withLock { state in
            let place = state.streams.firstIndex { $0.url == url }
            var stream = place.map { state.streams.remove(at: $0) } ?? Stream(url: url)
            if playlist.replacesAnother { stream.changed = moment }
            // Most polls bring what the last one did.
            let isRepeated = known != nil && known?.id == stream.views.last?.id
            stream.names.note(index, isRepeated: isRepeated, at: moment)
            if !isRepeated {
                stream.views.removeAll { $0.index.isDelta == index.isDelta }
                stream.views.append((known?.id ?? state.nextID, index))
                state.nextID += 1
                stream.names.forget(allBut: stream.views.map(\.index))
            }
            state.streams.append(stream)
            if state.streams.count > Self.capacity { state.streams.removeFirst() }
        }
    }

    /// Where `url` comes in a playlist that was asked for, the last asked for first; nil if none names it.
    public func place(of url: ResourceURL) -> SegmentPlace? {
        let hash = ReferenceHash.hash(of: url)
        return state.withLock { state in
            for stream in state.streams.reversed() {
                for (id, index) in stream.views.reversed() {
                    guard var place = index.place(of: url, hash: hash, view: id) else { continue }
                    place.namedSince = index.isLive ? stream.names.since(hash) : stream.changed
                    return place
                }
            }
            return nil
        }
    }

    /// The whole segments among the next `count` after `place`, and the scope of the playlist that names them.
    public func following(_ place: SegmentPlace, count: Int) -> (urls: [ResourceURL], scope: AddressScope) {
        let index = state.withLock { state in
            state.streams.lazy.flatMap(\.views).first { $0.id == place.view }?.index
        }
        guard let index else { return ([], .publicOnly) }
        return (index.following(place.index, count: count), index.references)
    }
}
