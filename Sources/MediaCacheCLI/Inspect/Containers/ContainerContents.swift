import MediaContainers

/// The media of a container of any kind, from its beginning to its end.
struct ContainerContents<Source: MediaContainers.ByteSource> {
    /// How much of what isn't MP4 is read at a time.
    private static var pieceLength: Int { 1 << 20 }

    /// What the container is.
    let format: SegmentFormat
    /// Its bytes.
    let source: Source
    /// The movie of the media initialization section, for segments of fragmented MP4.
    var initialization: Movie?

    /// Recognises a container by its first bytes; nil if they are of none.
    init?(_ source: Source, initialization: Movie? = nil) throws(ContainerError) {
        let count = min(source.length, Int64(SegmentFormat.probeLength))
        let front = try source.bytes(0..<count, limit: SegmentFormat.probeLength)
        guard let format = front.withUnsafeBytes({ SegmentFormat.recognise($0, isWhole: source.length == count) })
        else { return nil }
        self.format = format
        self.source = source
        self.initialization = initialization
    }

    /// The reader of an MP4.
    func movie() throws(ContainerError) -> MP4Reader<Source> {
        // A segment may bring its own index, and then needs no other.
        if let initialization { return try MP4Reader(source, initialization: initialization) }
        return try MP4Reader(source)
    }

    /// Gives all samples with their bytes to a sink.
    func deliver<Sink: SampleSink>(to sink: inout Sink) throws(ContainerError) {
        switch format {
        case .mp4: try movie().deliver(to: &sink)
        case .transportStream:
            let demuxer = TransportStreamDemuxer()
            try push(into: &sink, demuxer.push, demuxer.finish)
        case .packedAudio:
            let demuxer = PackedAudioDemuxer()
            try push(into: &sink, demuxer.push, demuxer.finish)
        }
    }

    /// Gives all bytes to a demuxer, in order, and ends it.
    func push<Sink: SampleSink>(
        into sink: inout Sink,
        _ push: (UnsafeRawBufferPointer, inout Sink) throws(ContainerError) -> Void,
        _ finish: (inout Sink) throws(ContainerError) -> Void
    ) throws(ContainerError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < source.length {
            let count = try source.read(at: offset, into: buffer)
            guard count > 0 else { break }
            offset += Int64(count)
            try push(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &sink)
        }
        try finish(&sink)
    }
}
