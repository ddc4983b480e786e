import MediaContainers

/// A sink that records a packed audio demuxer's output.
struct PackedAudioRecording: SampleSink {
    var tracks: [MediaTrack] = []
    var packets = PacketList()
    var samples: [(sample: MediaSample, bytes: [UInt8])] = []
    var diagnostics: [ContainerDiagnostic] = []
    var format: PackedAudioFormat?
    var startTimestamp: Int64?
    var picture: ID3Picture?

    init(_ path: String, bufferSize: Int = .max) throws {
        try self.init(Corpora.bytes(path), bufferSize: bufferSize)
    }

    init(_ bytes: [UInt8], bufferSize: Int = .max) throws(ContainerError) {
        let demuxer = PackedAudioDemuxer()
        var start = 0
        while start < bytes.count {
            let end = start + min(bufferSize, bytes.count - start)
            let piece = Array(bytes[start..<end])
            let result = piece.withUnsafeBytes { buffer in
                Result { () throws(ContainerError) in try demuxer.push(buffer, into: &self) }
            }
            try result.get()
            start = end
        }
        try demuxer.finish(into: &self)
        format = demuxer.format
        startTimestamp = demuxer.startTimestamp
        picture = demuxer.picture
    }

    mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        packets.sample(sample, bytes: bytes)
        samples.append((sample, Array(bytes)))
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) { diagnostics.append(diagnostic) }
}
