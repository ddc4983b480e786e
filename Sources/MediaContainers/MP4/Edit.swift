/// One entry of an edit list (ISO/IEC 14496-12, 8.6.6).
public struct Edit: Sendable, Hashable {
    /// How long the edit lasts in the movie's timescale; 0 in a file with fragments means to the end.
    public var duration: UInt64
    /// Where in the media it begins, in the media's timescale, or nil for an empty edit: nothing is shown.
    public var mediaTime: Int64?
    /// The rate as 16.16 fixed point: 0x10000 plays, 0 dwells on one picture.
    public var rate: Int32

    /// Creates an edit.
    public init(duration: UInt64, mediaTime: Int64?, rate: Int32 = 0x1_0000) {
        self.duration = duration
        self.mediaTime = mediaTime
        self.rate = rate
    }
}
