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
