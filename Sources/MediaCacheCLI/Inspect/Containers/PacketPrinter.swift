import MediaContainers

/// Prints each sample as a line of CSV while it's read.
struct PacketPrinter: SampleSink {
    /// The names of the columns.
    static let header = "track,pts,dts,duration,size,sync,crc32"
    /// Lines are written this many bytes at a time.
    private static let pieceLength = 64 << 10

    private var tracks: [MediaTrack] = []
    private var text = header + "\n"
    private let write: (String) throws -> Void

    /// - Parameter write: gets whole lines.
    init(write: @escaping (String) throws -> Void) {
        self.write = write
    }

    mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard tracks.indices.contains(sample.track) else { return }
        let timescale = tracks[sample.track].timescale
        let times = [sample.pts, sample.dts, sample.duration].map {
            SecondsText.microseconds($0, timescale: timescale)
        }
        let checksum = String(CRC32.checksum(bytes), radix: 16)
        let digits = String(repeating: "0", count: 8 - checksum.count) + checksum
        let sync = sample.isSync ? "1" : "0"
        text += (["\(sample.track)"] + times + ["\(sample.size)", sync, digits]).joined(separator: ",") + "\n"
        if text.utf8.count >= Self.pieceLength { try flush() }
    }

    /// Writes what is left.
    mutating func flush() throws(ContainerError) {
        do {
            try write(text)
        } catch {
            throw ContainerError(.inputOutput, "standard output can't be written", cause: error)
        }
        text = ""
    }
}
