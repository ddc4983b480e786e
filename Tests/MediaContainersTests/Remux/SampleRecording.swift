import MediaContainers

/// A sink that records tracks and samples.
struct SampleRecording: SampleSink {
    var tracks: [MediaTrack] = []
    var samples: [[MediaSample]] = []
    var checksums: [[UInt32]] = []
    var bytes = 0

    init() {}

    /// Reads the samples of an MP4 file.
    init(_ source: some ByteSource) throws(ContainerError) { try MP4Reader(source).deliver(to: &self) }

    /// Remuxes a segment or file.
    init(remuxing segment: [UInt8]) throws(ContainerError) {
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(MemorySource(segment))
        self = try remuxer.finish()
    }

    mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks = tracks
        while samples.count < tracks.count {
            samples.append([])
            checksums.append([])
        }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        samples[sample.track].append(sample)
        checksums[sample.track].append(CRC32.checksum(bytes))
        self.bytes += bytes.count
    }

    /// Returns the range of a track's presentation times in seconds.
    func span(_ track: Int) -> ClosedRange<Double> {
        let times = samples[track].map { Double($0.pts) / Double(tracks[track].timescale) }
        return (times.min() ?? 0)...(times.max() ?? 0)
    }
}
