import MediaContainers

/// Passes on samples up to a number, and bytes: damaged counts may promise millions.
struct BoundedSink<Output: SampleSink>: SampleSink {
    /// What gets them.
    var output: Output
    private var samplesLeft = 3000
    private var bytesLeft = 16 << 20

    /// A sink before `output`.
    init(_ output: Output) { self.output = output }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) { try output.tracks(tracks) }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        samplesLeft -= 1
        bytesLeft -= bytes.count
        guard samplesLeft > 0, bytesLeft > 0 else { throw ContainerError(.limitExceeded, "enough") }
        try output.sample(sample, bytes: bytes)
    }
}
