/// What a client asks of a server in the query of a media playlist's URL (RFC 8216bis, section 6.2.5).
public struct DeliveryDirectives: Sendable, Hashable {
    /// What a delta update may leave out (6.2.5.1).
    public enum Skip: String, Sendable, Hashable {
        /// Older segments.
        case segments = "YES"
        /// Older segments and date ranges.
        case segmentsAndDateRanges = "v2"
    }

    /// `_HLS_msn`: answer when the playlist has a segment of this media sequence number, or a later one (6.2.5.2).
    public var mediaSequence: Int?
    /// `_HLS_part`: answer when the playlist has this part of the segment, from 0 (6.2.5.2).
    public var part: Int?
    /// `_HLS_skip`: leave out what is older than the skip boundary (6.2.5.1).
    public var skip: Skip?

    /// Directives; without arguments, none.
    public init(mediaSequence: Int? = nil, part: Int? = nil, skip: Skip? = nil) {
        self.mediaSequence = mediaSequence
        self.part = part
        self.skip = skip
    }

    /// The directives in a URL's query. A value that is no number, or no known one, is left out.
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
    }

    /// Whether nothing is asked.
    public var isEmpty: Bool { mediaSequence == nil && skip == nil }

    /// A URL with these directives in place of those that it has. Other query items stay where they are.
    public func applied(to url: String) -> String {
        var reference = URLReference(url)
        var items = (reference.query ?? "").split(separator: "&").filter { !$0.hasPrefix("_HLS_") }.map { String($0) }
        // In the order of their names, so that caches see one URL for one request.
        if let mediaSequence {
            items.append("_HLS_msn=\(mediaSequence)")
            if let part { items.append("_HLS_part=\(part)") }
        }
        if let skip { items.append("_HLS_skip=" + skip.rawValue) }
        reference.query = items.isEmpty ? nil : items.joined(separator: "&")
        return reference.description
    }

    /// A URL without directives: what names the playlist itself.
    public static func removed(from url: String) -> String {
        DeliveryDirectives().applied(to: url)
    }
}
