import MediaContainers

/// What a movie holds, track by track, without the order of its bytes.
struct MovieSampleList: SampleSink, Equatable {
    struct Sample: Equatable {
        var pts: Int64
        var dts: Int64
        var size: Int
        var isSync: Bool
        var checksum: UInt32
    }

    var tracks: [[Sample]] = []

    init(_ file: some MediaContainers.ByteSource) throws {
        try MP4Reader(file).deliver(to: &self)
    }

    mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks += [[Sample]](repeating: [], count: tracks.count - self.tracks.count)
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        tracks[sample.track].append(
            Sample(
                pts: sample.pts, dts: sample.dts, size: sample.size, isSync: sample.isSync,
                checksum: CRC32.checksum(bytes)))
    }
}
