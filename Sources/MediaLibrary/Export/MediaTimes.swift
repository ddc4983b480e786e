internal import HLS
internal import MediaCache

/// Compares variant streams and renditions by the media that their playlists name, without segments of EXT-X-GAP.
final class MediaTimes {
    private let playlist: (_ uri: String) -> Playlist?
    /// The nanoseconds of media, and the target duration in nanoseconds, by URI.
    private var known: [String: (media: Int64, target: Int64)] = [:]

    /// - Parameter playlist: Returns the playlist at a URI of the multivariant playlist; nil if it can't be read.
    init(_ playlist: @escaping (_ uri: String) -> Playlist?) { self.playlist = playlist }

    /// Returns the variant streams with the most media, and among these those with the most in an audio rendition.
    func longest(_ variants: [VariantStream], in playlist: MultivariantPlaylist) -> [VariantStream] {
        longest(longest(variants) { $0.uri }) { variant in
            let uris = playlist.renditions(.audio, of: variant).map { $0.uri ?? variant.uri }
            return uris.max { time(of: $0).media < time(of: $1).media } ?? variant.uri
        }
    }

    /// Returns the items with the most media, in their order. One segment more or less makes no difference.
    func longest<Item>(_ items: [Item], uri: (Item) -> String) -> [Item] {
        guard items.count > 1 else { return items }
        let times = items.map { time(of: uri($0)) }
        let most = times.map(\.media).max() ?? 0
        return zip(items, times).filter { $1.media >= most.clampedSum(-$1.target) }.map(\.0)
    }

    private func time(of uri: String) -> (media: Int64, target: Int64) {
        if let time = known[uri] { return time }
        guard case .media(let media) = playlist(uri) else { return (0, 0) }
        let kept = zip(media.segments, media.places).filter { !$0.0.isGap }
        let target = Int64(min(max(1, media.targetDuration ?? 1), 3600)) * 1_000_000_000
        let nanoseconds = kept.reduce(Int64(0)) { $0.clampedSum($1.1.duration) }
        known[uri] = (nanoseconds, target)
        return (nanoseconds, target)
    }
}
