import HLS

/// A check of the properties that hold for every input of the playlist parser, valid or not.
package struct PlaylistCheck {
    /// The number of inputs that were parsed.
    package private(set) var parsed = 0
    /// The last complete media playlist. The next media playlist is treated as its update.
    private var known: MediaPlaylist?

    package init() {}

    /// Returns a description of the first property that an input violates; nil if there is none.
    package mutating func problem(_ bytes: [UInt8]) -> String? {
        if PlaylistDocument(bytes).bytes != bytes { return "The document changed." }
        if let problem = rewritingProblem(bytes) { return problem }
        guard let parsed = try? PlaylistParser().parse(bytes) else { return nil }
        self.parsed += 1
        if let strict = try? PlaylistParser(isStrict: true).parse(bytes), strict != parsed {
            return "The strict parse differs."
        }
        if let problem = identityProblem(parsed) { return problem }
        if let media = parsed.playlist.media {
            for resolved in media.resolvedSegments where resolved.segment.uri.isEmpty { return "A segment has no URI." }
            if let reload = try? known?.reloaded(with: media), reload.playlist.skip != nil {
                return "The reload has a skip."
            }
            if media.skip == nil { known = media }
        }
        let size = PlaylistWriter().bytes(parsed.playlist).count
        if parsed.variables.isEmpty, size > 8 * bytes.count + 1024 {
            return "The written playlist is too long: \(size) bytes for an input of \(bytes.count) bytes."
        }
        return nil
    }

    /// Rewrites a playlist without replacements. Returns a description of the first forbidden change; nil if there is
    /// none. Rewriting may only remove control characters, Unicode line separators and tags after Unicode white space,
    /// truncate lines before ambiguous attributes, and terminate an EXTINF on the last line.
    private func rewritingProblem(_ bytes: [UInt8]) -> String? {
        let sent = PlaylistReferences().rewritten(bytes) { _ in nil }
        if PlaylistReferences().rewritten(sent, { _ in nil }) != sent { return "Rewriting isn't idempotent." }
        let plain = bytes.filter { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
        // Playlists with these bytes aren't compared, because NEL and the Unicode line separators begin with them.
        guard !plain.contains(0xC2), !plain.contains(0xE2), sent != plain, sent != plain + [0x0A] else { return nil }
        let isEnd: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        let lines = plain.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        var left = sent.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        if left.count == lines.count + 1, left.last?.isEmpty == true { left.removeLast() }
        let isShortened = zip(lines, left).allSatisfy { line, rest in
            guard line != rest else { return true }
            let end = line.dropFirst(rest.count)
            let hasName = ["URI", "X-ASSET-LIST"].contains { end.firstRange(of: Array($0.utf8)) != nil }
            // A tag that follows Unicode white space is removed.
            let isHidden = rest.isEmpty && line.first.map { $0 >= 0x80 } == true
            return line.starts(with: rest) && (hasName || isHidden || rest.contains(UInt8(ascii: "\"")))
        }
        return isShortened && left.count == lines.count ? nil : "Rewriting changed the playlist in a forbidden way."
    }
}
