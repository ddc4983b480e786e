public import MediaCache
import Synchronization

/// The media playlists that were asked for last: which segments come next, and which live segment a name means now.
public final class StreamBook: Sendable {
    /// Playlists that are remembered: a few streams with their renditions.
    private static let capacity = 32

    private struct State {
        var nextID = 0
        /// The least recently asked for first.
        var streams: [(id: Int, index: StreamIndex)] = []
        /// The live segments that what is kept of a name was confirmed to be.
        var confirmed: [ResourceURL: SegmentPlace.Sequence] = [:]
    }

    private let state = Mutex(State())

    /// An empty book.
    public init() {}

    /// Notes the segments of a media playlist that was just asked for.
    ///
    /// - Parameters:
    ///   - playlist: the playlist.
    ///   - variables: what it may import (RFC 8216bis §4.4.2.3).
    public func note(_ playlist: LoadedPlaylist, variables: [String: String] = [:]) {
        let known = state.withLock { $0.streams.first { $0.index.url == playlist.url }?.index }
        let index =
            if let known, known.isOf(playlist, variables: variables) { known } else {
                StreamIndex(playlist, variables: variables)
            }
        state.withLock { state in
            let known = state.streams.firstIndex { $0.index.url == playlist.url }.map { state.streams.remove(at: $0) }
            let id = known?.id ?? state.nextID
            if known == nil { state.nextID += 1 }
            // An encoder that starts again counts from 0 as before: its segments have the old ones' names and numbers.
            if let known, index.isReset(of: known.index) {
                state.confirmed = state.confirmed.filter { url, _ in index.place(of: url, playlist: id) == nil }
            }
            state.streams.append((id, index))
            if state.streams.count > Self.capacity { state.streams.removeFirst() }
            // What no playlist names any more is asked about again if it comes back.
            if state.confirmed.count > 4096 {
                let streams = state.streams
                state.confirmed = state.confirmed.filter { url, _ in
                    streams.contains { $0.index.place(of: url, playlist: 0) != nil }
                }
            }
        }
    }

    /// Where `url` comes in a playlist that was asked for, the last asked for first; nil if none names it.
    public func place(of url: ResourceURL) -> SegmentPlace? {
        state.withLock { state in
            for (id, index) in state.streams.reversed() {
                if let place = index.place(of: url, playlist: id) { return place }
            }
            return nil
        }
    }

    /// Whether what is kept of `url` is known to be the segment at `place`. On demand it always is.
    public func isConfirmed(_ url: ResourceURL, at place: SegmentPlace) -> Bool {
        guard let sequence = place.sequence else { return true }
        return state.withLock { $0.confirmed[url] == sequence }
    }

    /// The origin has confirmed what is kept of `url` while it meant the segment at `place`.
    public func confirm(_ url: ResourceURL, at place: SegmentPlace) {
        guard let sequence = place.sequence else { return }
        state.withLock { $0.confirmed[url] = sequence }
    }

    /// The whole segments among the next `count` after `place`.
    public func following(_ place: SegmentPlace, count: Int) -> [ResourceURL] {
        state.withLock { state in
            state.streams.first { $0.id == place.playlist }?.index.following(place.index, count: count) ?? []
        }
    }
}
