internal import HLS
internal import MediaCache

/// Compares variant streams and renditions by the media that their playlists name, without segments of EXT-X-GAP.
final class MediaTimes {
    private let playlist: (_ uri: String) -> Playlist?
    /// The nanoseconds of media, and the target duration in nanoseconds, by URI.
    private var known: [String: (media: Int64, target: Int64)] = [:]

    /// - Parameter playlist: Returns the playlist at a URI of the multivariant playlist; nil if it can't be read.
    init(_ playlist: @escaping (_ uri: String) -> Playlist?) { self.playlist = playlist }

    /// Returns the variant streams that lack no relevant share of the media, and among these those that lack none in an
    /// audio rendition. Variant streams without pictures count only if none has pictures.
    func longest(_ variants: [VariantStream], in playlist: MultivariantPlaylist) -> [VariantStream] {
        let pictures = variants.filter { Self.hasPictures($0) && time(of: $0.uri).media > 0 }
        return longest(longest(pictures.isEmpty ? variants : pictures) { $0.uri }) { variant in
            let uris = playlist.renditions(.audio, of: variant).map { $0.uri ?? variant.uri }
            return uris.max { time(of: $0).media < time(of: $1).media } ?? variant.uri
        }
    }

    /// Returns the items that lack no relevant share of the media, in their order. A few segments more or less make no
    /// difference: up to 5 % of the longest, or less than three target durations of an item that has more than half of
    /// it.
    func longest<Item>(_ items: [Item], uri: (Item) -> String) -> [Item] {
        guard items.count > 1 else { return items }
        let times = items.map { time(of: uri($0)) }
        let most = times.map(\.media).max() ?? 0
        return zip(items, times).filter { _, time in
            let missing = most - time.media
            return missing <= most / 20 || missing < min(time.target * 3, most / 2)
        }.map(\.0)
    }

    /// Whether an item has less than a tenth of the media that the longest of all items has.
    func hasLittle<Item>(_ item: Item, of items: [Item], uri: (Item) -> String) -> Bool {
        time(of: uri(item)).media < (items.map { time(of: uri($0)).media }.max() ?? 0) / 10
    }

    /// The prefixes of video codecs in CODECS (RFC 6381).
    private static let videoCodecs = [
        "avc", "hvc", "hev", "dva", "dvh", "dav", "av01", "vp08", "vp09", "vvc", "vvi", "mp4v",
    ]

    /// Whether the attributes of a variant stream say that it has pictures.
    private static func hasPictures(_ variant: VariantStream) -> Bool {
        variant.resolution != nil
            || variant.codecs.contains { codec in videoCodecs.contains { codec.lowercased().hasPrefix($0) } }
    }

    private func time(of uri: String) -> (media: Int64, target: Int64) {
        if let time = known[uri] { return time }
        guard case .media(let media) = playlist(uri) else { return (0, 0) }
        let present = zip(media.segments, media.places).filter { !$0.0.isGap }
        let target = Int64(min(max(1, media.targetDuration ?? 1), 3600)) * 1_000_000_000
        let nanoseconds = present.reduce(Int64(0)) { $0.clampedSum($1.1.duration) }
        known[uri] = (nanoseconds, target)
        return (nanoseconds, target)
    }
}
