package import MediaContainers

/// The media of a container of any supported format.
package struct ContainerContents<Source: ByteSource> {
    private static var pieceLength: Int { 1 << 20 }

    package let format: SegmentFormat
    package let source: Source
    let initialization: Movie?

    /// Detects a container's format from its first bytes; nil if the format isn't supported.
    package init?(_ source: Source, initialization: Movie? = nil) throws(ContainerError) {
        let count = min(source.length, Int64(SegmentFormat.probeLength))
        let front = try source.bytes(0..<count, limit: SegmentFormat.probeLength)
        guard let format = front.withUnsafeBytes({ SegmentFormat.recognize($0, isWhole: source.length == count) })
        else { return nil }
        self.format = format
        self.source = source
        self.initialization = initialization
    }

    func movie() throws(ContainerError) -> MP4Reader<Source> {
        if let initialization { return try MP4Reader(source, initialization: initialization) }
        return try MP4Reader(source)
    }

    package func deliver<Sink: SampleSink>(to sink: inout Sink) throws(ContainerError) {
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

    func push<Sink: SampleSink>(
        into sink: inout Sink, _ push: (UnsafeRawBufferPointer, inout Sink) throws(ContainerError) -> Void,
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

/// A sink that writes a line of CSV for each sample.
package struct PacketWriter: SampleSink {
    private static let header = "track,pts,dts,duration,size,sync,crc32"
    private static let pieceLength = 64 << 10

    private var tracks: [MediaTrack] = []
    private var text = header + "\n"
    private let write: (String) throws -> Void

    /// Creates a writer that passes whole lines to a function.
    package init(write: @escaping (String) throws -> Void) { self.write = write }

    package mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

    package mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard tracks.indices.contains(sample.track) else { return }
        let timescale = tracks[sample.track].timescale
        let times = [sample.pts, sample.dts, sample.duration].map { SecondsText.microseconds($0, timescale: timescale) }
        let checksum = String(CRC32.checksum(bytes), radix: 16)
        let digits = String(repeating: "0", count: 8 - checksum.count) + checksum
        let sync = sample.isSync ? "1" : "0"
        text += (["\(sample.track)"] + times + ["\(sample.size)", sync, digits]).joined(separator: ",") + "\n"
        if text.utf8.count >= Self.pieceLength { try flush() }
    }

    package mutating func flush() throws(ContainerError) {
        do {
            try write(text)
        } catch {
            throw ContainerError(.inputOutput, "the list of packets can't be written", cause: error)
        }
        text = ""
    }
}
