import HLS
public import MediaCache
import Synchronization

/// A collection of recently requested playlists. It determines which segments follow a given one, and since when a URL
/// has identified a live segment.
public final class RecentPlaylists: Sendable {
    /// The maximum number of playlists, which is enough for a few streams with their renditions.
    private static let capacity = 32

    /// A playlist in up to two views: the complete playlist, and the last delta update.
    private struct Stream {
        /// The URL without delivery directives, which request another view of the playlist.
        var url: String
        /// The views, most recently requested last.
        var views: [(id: Int, index: StreamIndex)] = []
        var names = SegmentNames()
        /// The time at which an on-demand playlist, and possibly its segments, last changed; nil if it hasn't changed.
        var changed: Duration?
    }

    private struct State {
        var nextID = 0
        /// The playlists, least recently requested first.
        var streams: [Stream] = []
    }

    private let state = Mutex(State())

    /// Creates an empty collection.
    public init() {}

    /// Adds a playlist that was just requested.
    ///
    /// - Parameters:
    ///   - variables: The variables that the playlist may import (RFC 8216bis §4.4.2.3).
    ///   - moment: The time at which the playlist was received, by `CacheStore.monotonicTime`.
    public func note(_ playlist: LoadedPlaylist, variables: [String: String] = [:], at moment: Duration) {
        let url = DeliveryDirectives.removed(from: playlist.url.description)
        let views = state.withLock { state in state.streams.first { $0.url == url }?.views ?? [] }
        let known = views.first { $0.index.isOf(playlist, variables: variables) }
        // The last playlist of a live stream has EXT-X-ENDLIST, but may still contain reused names.
        let isLive = playlist.isLive || views.contains { $0.index.isLive }
        let index = known?.index ?? StreamIndex(playlist, variables: variables, isLive: isLive)
        state.withLock { state in
            let position = state.streams.firstIndex { $0.url == url }
            var stream = position.map { state.streams.remove(at: $0) } ?? Stream(url: url)
            if playlist.replacesAnother { stream.changed = moment }
            // Most reloads return an unchanged playlist.
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

    /// Returns the position of `url` in the most recently requested playlist that lists it; nil if none does.
    public func position(of url: ResourceURL) -> SegmentPosition? {
        state.withLock { state in
            guard !state.streams.isEmpty else { return nil }
            let hash = ReferenceHash.hash(of: url)
            for stream in state.streams.reversed() {
                for (id, index) in stream.views.reversed() {
                    guard var position = index.position(of: url, hash: hash, view: id) else { continue }
                    position.namedSince = index.isLive ? stream.names.since(hash) : stream.changed
                    return position
                }
            }
            return nil
        }
    }

    /// Returns the URLs of the `count` segments after `position`, without gaps and byte ranges, and the address scope
    /// of the playlist. Returns no URLs after a key or section, and if the playlist has been replaced since.
    public func following(_ position: SegmentPosition, count: Int) -> (urls: [ResourceURL], scope: AddressScope) {
        let index = state.withLock { state in
            state.streams.lazy.flatMap(\.views).first { $0.id == position.view }?.index
        }
        guard let index else { return ([], .publicOnly) }
        return (index.following(position.index, count: count), index.references)
    }
}

/// The position of a media segment, partial segment, key or media initialization section in the most recently requested
/// playlist that lists it.
public struct SegmentPosition: Sendable, Hashable {
    /// The duration of the playlist; nil if it's live.
    public var streamDuration: Duration?
    /// The kind of the resource: a key or a segment.
    public var kind: ResourceKind
    /// The time since which the URL has identified this segment, by the store's monotonic clock; nil if it always has.
    /// A live playlist may reuse the URL for another segment, and an on-demand playlist may change.
    public var namedSince: Duration?
    /// Whether the resource contains only this segment, and all of it is needed. False for a byte range of a resource
    /// (RFC 8216bis §4.4.4.2), for a gap, and for a media initialization section, which may be a byte range.
    public var isWholeResource: Bool
    /// Whether the playlist marks the segment as absent (RFC 8216bis §4.4.4.7).
    public var isGap: Bool
    /// Whether the segment doesn't exist yet, so that the origin delays its response (RFC 8216bis §4.4.5.3).
    public var isHint: Bool
    /// The identifier of the view of the playlist, and the index in it.
    var view: Int
    var index: Int
}
