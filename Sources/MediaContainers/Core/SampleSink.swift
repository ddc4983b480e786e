/// What a stream demuxer gives its tracks and samples to.
///
/// Demuxers and writers are generic over it, so that a call costs no existential and no allocation.
public protocol SampleSink {
    /// Takes the list of tracks, before the first sample of any and again whenever it grows or a format is added.
    ///
    /// Tracks keep their index for as long as the demuxer lives; formats keep theirs in their track.
    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError)

    /// Takes a sample.
    ///
    /// - Parameters:
    ///   - sample: Times, size and flags.
    ///   - bytes: Its bytes, borrowed for the length of the call. H.264 and HEVC come as they are stored in the
    ///     container that was read: with start codes from MPEG-TS, with lengths from MP4.
    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError)

    /// Takes note of damage that reading went past. The default does nothing.
    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError)
}

extension SampleSink {
    /// Does nothing.
    public mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {}
}

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
