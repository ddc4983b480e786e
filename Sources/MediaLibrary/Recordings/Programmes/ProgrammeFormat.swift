/// What a programme can be exported as when it's over.
public enum ProgrammeFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// A stream on demand, of the segments that are kept: nothing is copied.
    case hls
    /// One MP4 of what was recorded, as it is.
    case mp4
    /// 3GP, encoded anew (H.264 and AAC), for phones of old.
    case threeGP = "3gp"
}
