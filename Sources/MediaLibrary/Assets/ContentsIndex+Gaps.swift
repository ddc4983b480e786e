internal import MediaCache

extension ContentsIndex {
    /// A media segment in a playlist.
    private struct Segment: Hashable {
        var name: String
        var range: Range<Int64>?
    }

    /// Returns the text of a playlist in which missing segments are marked as gaps (EXT-X-GAP, RFC 8216bis §4.4.4.7),
    /// so that players continue after them.
    ///
    /// - Parameter holes: The missing parts of the asset.
    package func text(of playlist: AssetContents.LocalPlaylist, missing holes: [DownloadHole]) -> String {
        let missing = segments(missing: holes)
        guard !missing.isEmpty else { return playlist.text }
        let folder = playlist.name.split(separator: "/").dropLast().joined(separator: "/")
        var lines: [Substring] = []
        var (range, isGap, end): (Range<Int64>?, Bool, Int64) = (nil, false, 0)
        for line in playlist.text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#EXT-X-BYTERANGE:") {
                range = Self.range(line.dropFirst("#EXT-X-BYTERANGE:".count), after: end)
                end = range?.upperBound ?? 0
            } else if line == "#EXT-X-GAP" {
                isGap = true
            } else if !line.isEmpty, !line.hasPrefix("#") {
                let segment = Segment(name: Self.name(String(line), in: folder), range: range)
                if !isGap, missing.contains(segment) { lines.append("#EXT-X-GAP") }
                (range, isGap) = (nil, false)
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    private func segments(missing holes: [DownloadHole]) -> Set<Segment> {
        struct Position: Hashable {
            var url: String
            var start: Double
        }
        let positions = Set(
            holes.filter { $0.role == AssetPart.Role.mediaSegment.rawValue }
                .map { Position(url: $0.url, start: $0.start) })
        guard !positions.isEmpty else { return [] }
        return Set(
            contents.parts.filter {
                $0.role == .mediaSegment && positions.contains(Position(url: $0.url, start: $0.start))
            }.map { Segment(name: $0.name, range: $0.range) })
    }

    /// Returns the value of EXT-X-BYTERANGE (§4.4.4.2). Without an offset, the range follows the previous one.
    private static func range(_ value: Substring, after end: Int64) -> Range<Int64>? {
        let parts = value.split(separator: "@").map { Int64($0) }
        guard let count = parts.first ?? nil, count >= 0, let start = parts.count > 1 ? parts[1] : end, start >= 0
        else { return nil }
        return start..<start.clampedSum(count)
    }

    /// Returns the name in the asset to which a reference in a playlist of `folder` refers.
    private static func name(_ reference: String, in folder: String) -> String {
        if reference.hasPrefix("../") { return String(reference.dropFirst(3)) }
        return folder.isEmpty ? reference : "\(folder)/\(reference)"
    }
}
