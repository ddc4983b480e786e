/// A tag that stands before a media segment's URI and that not every segment has.
public enum SegmentTag: Sendable, Hashable {
    /// The wall-clock time of the segment's first sample (RFC 8216bis, section 4.4.4.6).
    case programDateTime(DateTime)
    /// The approximate bit rate from here on, in kilobits per second (4.4.4.8).
    case bitrate(Int)
    /// A partial segment (4.4.4.9).
    case part(PartialSegment)
    /// A range of time with attributes (4.4.5.1).
    case dateRange(DateRange)
    /// A cue of an advertisement, not of the RFC.
    case cue(AdvertisementCue)
    /// What stands between EXTINF's duration and its comma, as IPTV lists have it: `tvg-id="1"`. Not of the RFC.
    case durationParameters(String)
    /// Anything else.
    case unknown(UnknownTag)
}
