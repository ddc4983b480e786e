/// Finds the time at which a transport stream begins.
struct ClockProbe: SampleSink {
    private static let pieceLength = 256 << 10
    /// Further in nothing is looked for.
    private static let reach: Int64 = 2 << 20

    private var start: Int64?

    /// The first decoding time, as the stream's counter has it; nil where none is found.
    static func start(of source: some ByteSource) throws(ContainerError) -> Int64? {
        let demuxer = TransportStreamDemuxer()
        var probe = ClockProbe()
        var offset: Int64 = 0
        while offset < min(source.length, reach), probe.start == nil {
            let end = min(source.length, offset + Int64(pieceLength))
            let piece = try source.bytes(offset..<end, limit: pieceLength)
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(ContainerError) in try demuxer.push(bytes, into: &probe) }
            }
            try result.get()
            offset = end
        }
        if probe.start == nil { try demuxer.interrupt(into: &probe) }
        return probe.start
    }

    mutating func tracks(_: [MediaTrack]) {}

    mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
        if start == nil { start = sample.dts }
    }
}
