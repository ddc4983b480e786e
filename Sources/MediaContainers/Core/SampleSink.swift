/// A receiver of the tracks and samples of a demuxer. Its errors end the operation and are rethrown.
public protocol SampleSink {
    /// Receives the list of tracks, before the first sample and again whenever a track is added or may have changed.
    ///
    /// Tracks keep their index for the lifetime of the demuxer, and formats keep their index in the track.
    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError)

    /// Receives a sample. The bytes are borrowed for the duration of the call, in the framing that
    /// ``MediaFormat/framing`` specifies.
    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError)

    /// Receives a defect that the demuxer skipped. The default implementation does nothing.
    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError)
}

extension SampleSink {
    /// Does nothing.
    public mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {}
}

/// A sample (an access unit, an audio frame or a cue) without its bytes.
public struct MediaSample: Sendable, Hashable {
    /// The index of the track in the list that the sink has received.
    public var track: Int
    /// The presentation time in the timescale of the track.
    public var pts: Int64
    /// The decoding time in the timescale of the track. 33-bit timestamps of MPEG-TS are unwrapped.
    public var dts: Int64
    /// The duration in the timescale of the track, or 0 if the container doesn't specify it.
    public var duration: Int64
    /// The size in bytes.
    public var size: Int
    /// Whether decoding can start at this sample.
    public var isSync: Bool
    /// Whether an edit list hides the sample. Hidden samples are decoded, since others may depend on them, but not
    /// presented.
    public var isHidden: Bool
    /// The index of the format in the track.
    public var formatIndex: Int
    /// The offset of the bytes in the file, or -1 if they aren't contiguous, as in MPEG-TS.
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

    /// Throws an error with `code` if a time exceeds the bounds of ``Timescale``.
    func checkTimes(timescale: Int32, code: ContainerError.Code = .unrepresentable) throws(ContainerError) {
        guard Timescale.isInBounds(pts, of: timescale), Timescale.isInBounds(dts, of: timescale),
            Timescale.isInBounds(duration, of: timescale)
        else {
            throw ContainerError(
                code, "sample time out of range: pts \(pts), dts \(dts), duration \(duration) in 1/\(timescale) s",
                at: offset < 0 ? nil : offset)
        }
    }
}
