import MediaContainers

/// A sink that records a demuxer's output.
struct DemuxerRecording: SampleSink {
    var tracks: [MediaTrack] = []
    var packets = PacketList()
    var samples: [(sample: MediaSample, bytes: [UInt8])] = []
    var diagnostics: [ContainerDiagnostic] = []

    init() {}

    init(movie: some ByteSource) throws { try MP4Reader(movie).deliver(to: &self) }

    /// Reads a transport stream of the corpora.
    init(_ path: String, bufferSize: Int = .max) throws {
        self = try Self(Corpora.bytes(path), bufferSize: bufferSize)
    }

    /// Reads a transport stream.
    init(_ bytes: [UInt8], bufferSize: Int = .max) throws {
        self = try Self.push(bytes, bufferSize: bufferSize, into: Self())
    }

    /// Demuxes a transport stream in buffers of the given size.
    static func push<Sink: SampleSink>(_ bytes: [UInt8], bufferSize: Int, into sink: Sink) throws -> Sink {
        var sink = sink
        let demuxer = TransportStreamDemuxer()
        for start in stride(from: 0, to: bytes.count, by: bufferSize) {
            try bytes[start...].prefix(bufferSize).withUnsafeBytes { try demuxer.push($0, into: &sink) }
        }
        try demuxer.finish(into: &sink)
        return sink
    }

    mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        packets.sample(sample, bytes: bytes)
        samples.append((sample, Array(bytes)))
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) { diagnostics.append(diagnostic) }

    func diagnostics(_ code: ContainerDiagnostic.Code) -> Int { diagnostics.count { $0.code == code } }
}
