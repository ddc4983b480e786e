internal import HLS
internal import MediaCache
internal import MediaContainers

/// A comparison of variant streams and renditions by the duration of their media, without gaps (EXT-X-GAP).
final class MediaTimes {
    /// A function that returns the playlist at a URI of the multivariant playlist; nil if it can't be read.
    private let playlist: (_ uri: String) -> Playlist?
    /// The duration of the media and the target duration, in nanoseconds, by URI.
    private var known: [String: (media: Int64, target: Int64)] = [:]

    init(_ playlist: @escaping (_ uri: String) -> Playlist?) { self.playlist = playlist }

    /// Returns the variant streams that have nearly all of the media, both in the variant stream and in its most
    /// complete audio. Variant streams without video are only considered if none has video.
    func longest(_ variants: [VariantStream], in playlist: MultivariantPlaylist) -> [VariantStream] {
        let withVideo = variants.filter { Self.hasVideo($0) && time(of: $0.uri).media > 0 }
        return longest(longest(withVideo.isEmpty ? variants : withVideo) { $0.uri }) { variant in
            let uris = playlist.renditions(.audio, of: variant).map { $0.uri ?? variant.uri }
            return uris.max { time(of: $0).media < time(of: $1).media } ?? variant.uri
        }
    }

    /// Returns the items that have nearly all of the media, in their order. Compared with the item that has the most
    /// media, an item may be missing up to 5%, or less than three target durations if it has more than half.
    func longest<Item>(_ items: [Item], uri: (Item) -> String) -> [Item] {
        guard items.count > 1 else { return items }
        let times = items.map { time(of: uri($0)) }
        let most = times.map(\.media).max() ?? 0
        return zip(items, times).filter { _, time in
            let missing = most - time.media
            return missing <= most / 20 || missing < min(time.target * 3, most / 2)
        }.map(\.0)
    }

    /// Returns whether an item has less than a tenth of the media of the item that has the most.
    func hasNegligibleMedia<Item>(_ item: Item, of items: [Item], uri: (Item) -> String) -> Bool {
        time(of: uri(item)).media < (items.map { time(of: uri($0)).media }.max() ?? 0) / 10
    }

    private static func hasVideo(_ variant: VariantStream) -> Bool {
        variant.resolution != nil || variant.codecs.contains { DeclaredCodec.kind(of: $0) == .video }
    }

    private func time(of uri: String) -> (media: Int64, target: Int64) {
        if let time = known[uri] { return time }
        guard case .media(let media) = playlist(uri) else { return (0, 0) }
        let present = zip(media.segments, media.segmentIntervals).filter { !$0.0.isGap }
        let target = Int64(min(max(1, media.targetDuration ?? 1), 3600)) * 1_000_000_000
        let nanoseconds = present.reduce(Int64(0)) { $0.clampedSum($1.1.duration) }
        known[uri] = (nanoseconds, target)
        return (nanoseconds, target)
    }
}
