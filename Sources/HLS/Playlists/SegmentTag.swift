/// A tag that only a few media segments have.
public enum SegmentTag: Sendable, Hashable {
    /// The wall-clock time of the segment's first sample (RFC 8216bis §4.4.4.6).
    case programDateTime(DateTime)
    /// The approximate bit rate from the segment on, in kilobits per second (RFC 8216bis §4.4.4.8).
    case bitrate(Int)
    /// A partial segment (RFC 8216bis §4.4.4.9).
    case part(PartialSegment)
    /// A time range with attributes (RFC 8216bis §4.4.5.1).
    case dateRange(DateRange)
    /// An advertisement cue. Not part of the RFC.
    case cue(AdvertisementCue)
    /// The text between the duration and the comma of EXTINF, such as `tvg-id="1"` in IPTV lists. Not part of the RFC.
    case durationParameters(String)
    /// Any other tag.
    case unknown(UnknownTag)

    /// The tag; nil for an unknown one. The parameters of EXTINF belong to EXTINF.
    private var tag: PlaylistTag? {
        switch self {
        case .programDateTime: .programDateTime
        case .bitrate: .bitrate
        case .part: .part
        case .dateRange: .dateRange
        case .cue(let cue): cue.tag
        case .durationParameters: .segment
        case .unknown: nil
        }
    }

    /// The text after the colon; nil for a tag without a value.
    private var value: String? {
        switch self {
        case .programDateTime(let date): date.description
        case .bitrate(let rate): "\(rate)"
        case .part(let part): part.attributes.description
        case .dateRange(let range): range.attributes.description
        case .cue(let cue): cue.value
        case .durationParameters(let text): text
        case .unknown(let tag): tag.value
        }
    }

    /// Writes the tag. The parameters of EXTINF are written with the duration instead.
    func write(to lines: inout LineWriter) {
        switch self {
        case .unknown(let tag): lines.line(tag.description)
        case .durationParameters: break
        default:
            guard let tag else { return }
            if let value { lines.tag(tag, value) } else { lines.tag(tag) }
        }
    }

    func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> SegmentTag {
        switch self {
        case .part(let part): .part(part.mappingURIs(of: .part, transform))
        case .dateRange(let range): .dateRange(range.mappingURIs(of: .dateRange, transform))
        case .programDateTime, .bitrate, .cue, .durationParameters, .unknown: self
        }
    }
}

// MARK: - Local playlists and recordings

extension SegmentTag {
    /// Whether the tag is removed from local playlists.
    package var isRemovedLocally: Bool {
        (tag?.definition.localRemoval ?? .ifReferring).applies(to: value)
    }

    /// The tag as recordings store it, without the number sign; nil if they don't.
    package var recordedText: String? {
        guard tag?.definition.isRecorded ?? true, !isRemovedLocally else { return nil }
        let name = if case .unknown(let unknown) = self { unknown.name } else { tag?.rawValue ?? "" }
        return name + (value.map { ":" + $0 } ?? "")
    }
}
