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

    /// Writes the tag. The parameters of EXTINF are written with the duration instead.
    func write(to lines: inout LineWriter) {
        switch self {
        case .programDateTime(let date): lines.tag(.programDateTime, date)
        case .bitrate(let rate): lines.tag(.bitrate, rate)
        case .part(let part): lines.tag(.part, part.attributes)
        case .dateRange(let range): lines.tag(.dateRange, range.attributes)
        case .cue(let cue): if let value = cue.value { lines.tag(cue.tag, value) } else { lines.tag(cue.tag) }
        case .unknown(let tag): lines.line(tag.description)
        case .durationParameters: break
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
