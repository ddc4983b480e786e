/// One sample (an access unit: a picture, a frame of sound, a cue) without its bytes.
public struct MediaSample: Sendable, Hashable {
    /// The index of its track in the list of tracks that came with it.
    public var track: Int
    /// When it is shown, in the track's timescale.
    public var pts: Int64
    /// When it is decoded, in the track's timescale; 33-bit wraps of MPEG-TS are already undone.
    public var dts: Int64
    /// How long it lasts in the track's timescale, or 0 where the container doesn't say.
    public var duration: Int64
    /// Its size in bytes.
    public var size: Int
    /// Whether decoding can start here.
    public var isSync: Bool
    /// Whether an edit list hides it: it is decoded, for the sake of others, and not shown.
    public var isHidden: Bool
    /// The index of its format in its track's list.
    public var formatIndex: Int
    /// Where its bytes begin in the file, or -1 when it has no one place there (MPEG-TS).
    public var offset: Int64

    /// Creates a sample.
    public init(
        track: Int, pts: Int64, dts: Int64, duration: Int64, size: Int, isSync: Bool, isHidden: Bool = false,
        formatIndex: Int = 0, offset: Int64 = -1
    ) {
        self.track = track
        self.pts = pts
        self.dts = dts
        self.duration = duration
        self.size = size
        self.isSync = isSync
        self.isHidden = isHidden
        self.formatIndex = formatIndex
        self.offset = offset
    }

    /// Refuses times beyond the bounds of ``Timescale``.
    ///
    /// - Throws: ``ContainerError`` with `code`.
    func checkTimes(
        timescale: Int32, code: ContainerError.Code = .unrepresentable
    ) throws(ContainerError) {
        guard Timescale.isInBounds(pts, of: timescale), Timescale.isInBounds(dts, of: timescale),
            Timescale.isInBounds(duration, of: timescale)
        else {
            throw ContainerError(
                code, "a sample shown at \(pts), decoded at \(dts), lasting \(duration) ticks of 1/\(timescale) s",
                at: offset < 0 ? nil : offset)
        }
    }
}
