/// The delivery directives in the query of a media playlist's URL (RFC 8216bis §6.2.5).
public struct DeliveryDirectives: Sendable, Hashable {
    /// The content that a delta update may skip (RFC 8216bis §6.2.5.1).
    public enum Skip: String, Sendable, Hashable {
        /// Segments that are older than the skip boundary.
        case segments = "YES"
        /// Segments and date ranges that are older than the skip boundary.
        case segmentsAndDateRanges = "v2"
    }

    /// `_HLS_msn`: the media sequence number of a segment. The server responds when the playlist has this segment or a
    /// later one (RFC 8216bis §6.2.5.2).
    public var mediaSequence: Int?
    /// `_HLS_part`: the index of a part of the segment, from 0. The server responds when the playlist has this part or
    /// a later one (RFC 8216bis §6.2.5.2). Ignored without ``mediaSequence``.
    public var part: Int?
    /// `_HLS_skip`: a request for a delta update (RFC 8216bis §6.2.5.1).
    public var skip: Skip?

    /// Creates directives.
    public init(mediaSequence: Int? = nil, part: Int? = nil, skip: Skip? = nil) {
        self.mediaSequence = mediaSequence
        self.part = part
        self.skip = skip
    }

    /// Creates directives from a URL's query. Invalid values and a part without a media sequence number are ignored.
    public init(url: String) {
        for item in (URLReference(url).query ?? "").split(separator: "&") {
            guard let equals = item.firstIndex(of: "=") else { continue }
            let value = String(item[item.index(after: equals)...])
            switch item[..<equals] {
            case "_HLS_msn": mediaSequence = Int(value)
            case "_HLS_part": part = Int(value)
            case "_HLS_skip": skip = Skip(rawValue: value)
            default: break
            }
        }
        if mediaSequence == nil { part = nil }
    }

    /// Whether there are no directives.
    public var isEmpty: Bool { mediaSequence == nil && skip == nil }

    /// Returns a URL with these directives instead of its own, after its other query items.
    public func applied(to url: String) -> String {
        var reference = URLReference(url)
        var items = (reference.query ?? "").split(separator: "&").filter { !$0.hasPrefix("_HLS_") }.map { String($0) }
        // In alphabetical order, so that equal requests have equal URLs in caches.
        if let mediaSequence {
            items.append("_HLS_msn=\(mediaSequence)")
            if let part { items.append("_HLS_part=\(part)") }
        }
        if let skip { items.append("_HLS_skip=" + skip.rawValue) }
        reference.query = items.isEmpty ? nil : items.joined(separator: "&")
        return reference.description
    }

    /// Returns a URL without its directives.
    public static func removed(from url: String) -> String { DeliveryDirectives().applied(to: url) }
}

extension MediaPlaylist {
    /// Returns the time to wait from the beginning of the last load: the target duration after a change, otherwise half
    /// of it (RFC 8216bis §6.3.4). Nil if the playlist won't change any more.
    public func reloadInterval(after outcome: PlaylistReload.Outcome) -> Duration? {
        if hasEndList || type == .onDemand { return nil }
        // Without a target duration, which is invalid, the duration of the last segment is used.
        let target = Duration.seconds(max(1, targetDuration ?? segments.last?.duration.roundedUp ?? 1))
        switch outcome {
        case .updated, .reset: return target
        case .unchanged, .stale: return target / 2
        }
    }

    /// The time without a change after which a client may treat the server as stalled: 1.5 target durations
    /// (RFC 8216bis §6.3.4).
    public var stallInterval: Duration { .seconds(max(1, targetDuration ?? 1)) * 3 / 2 }

    /// Returns the directives for the next load (RFC 8216bis §6.2.5).
    ///
    /// - Parameters:
    ///   - age: The age of this playlist. No delta update is requested above half of the skip boundary (§6.3.7).
    ///   - includesParts: Whether to load the playlist for each partial segment instead of once per segment.
    /// - Returns: The directives; empty if the playlist has ended or the server supports none.
    public func nextDirectives(age: Duration = .zero, includesParts: Bool = true) -> DeliveryDirectives {
        var directives = DeliveryDirectives()
        guard let control = serverControl, !hasEndList else { return directives }
        if control.canBlockReload {
            directives.mediaSequence = nextMediaSequence
            if includesParts, partInformation != nil { directives.part = upcoming?.parts.count ?? 0 }
        }
        if let boundary = control.canSkipUntil, age <= .nanoseconds(boundary.nanoseconds) / 2, !segments.isEmpty {
            directives.skip = control.canSkipDateRanges ? .segmentsAndDateRanges : .segments
        }
        return directives
    }
}
