import HLS

/// A media playlist's partial segments in words.
struct PartSummary {
    /// How many there are, and how long; nil for none.
    var text: String?

    /// The summary of a playlist.
    init(_ playlist: MediaPlaylist) {
        let inSegments = playlist.segments.reduce(0) { $0 + ($1.tags.isEmpty ? 0 : $1.parts.count) }
        let upcoming = playlist.upcoming?.parts.count ?? 0
        let target = playlist.partInformation.map { "at most \($0.partTarget) s each" }
        guard inSegments + upcoming > 0 || target != nil else { return }
        let next = upcoming > 0 ? "\(upcoming) of the segment to come" : nil
        text = ["\(inSegments + upcoming)", next, target].compactMap(\.self).joined(separator: ", ")
    }
}
