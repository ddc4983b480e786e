/// How a segment goes on from the one before.
public enum SegmentJoin: Sendable, Hashable {
    /// On the same clock, with nothing missing.
    case continuous
    /// On the same clock; segments before it are missing (EXT-X-GAP), and stay a gap of their length.
    case gap
    /// Its clock, its tracks or their formats may be others (EXT-X-DISCONTINUITY): it begins where the one before ends.
    case discontinuity
    /// It is a file of its own: on the same clock where its times go on from those before (a recording cut into files),
    /// else as after a discontinuity.
    case file
}
