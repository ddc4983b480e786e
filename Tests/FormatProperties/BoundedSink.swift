package import MediaContainers

/// A sink that forwards a limited number of samples and bytes and then throws an error, because damaged counts may
/// announce millions.
package struct BoundedSink<Output: SampleSink>: SampleSink {
    package var output: Output
    private var samplesLeft = 3000
    private var bytesLeft: Int

    package init(_ output: Output, bytes: Int = 16 << 20) {
        self.output = output
        bytesLeft = bytes
    }

    package mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) { try output.tracks(tracks) }

    package mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        samplesLeft -= 1
        bytesLeft -= bytes.count
        guard samplesLeft > 0, bytesLeft > 0 else { throw ContainerError(.limitExceeded, "too many samples or bytes") }
        try output.sample(sample, bytes: bytes)
    }
}
