public import MediaContainers

/// The metadata and the duration that a media file contains.
public struct FileMetadata: Sendable, Hashable {
    /// The title, artist and other values; empty if the file has none, or its format isn't supported.
    public var metadata = MediaMetadata()
    /// The duration in seconds; nil if unknown.
    public var duration: Double?

    /// The maximum length in bytes of audio whose frames are counted to determine its duration.
    private static let maximumCountedLength: Int64 = 1 << 30

    /// Creates a description without a duration.
    init(_ metadata: MediaMetadata) { self.metadata = metadata }

    /// Reads the ID3 tag at the beginning of an MP3, AAC or AC-3 file, or the index of an MP4 file. To determine the
    /// duration, reads all frames of such audio, or the two ends of a transport stream. Values that are damaged are
    /// omitted.
    ///
    /// - Throws: `ContainerError` with `inputOutput` if the source can't be read.
    public init(of source: some ByteSource) throws(ContainerError) {
        do throws(ContainerError) {
            try read(source)
        } catch {
            if error.code == .inputOutput { throw error }
        }
        if let seconds = duration, !(seconds > 0 && seconds.isFinite) { duration = nil }
    }

    private mutating func read(_ source: some ByteSource) throws(ContainerError) {
        metadata = try Self.tag(in: source)?.metadata ?? metadata
        guard let contents = try ContainerContents(source) else { return }
        switch contents.format {
        case .mp4:
            let movie = try contents.movie().movie
            metadata = movie.metadata
            duration = movie.seconds
        case .transportStream: duration = try TransportStreamDuration.estimate(source)
        case .packedAudio where source.length <= Self.maximumCountedLength: duration = try Self.counted(contents)
        case .packedAudio: break
        }
    }

    /// Returns the tag at the beginning of a file; nil if there is none, or it's damaged or larger than
    /// ``Cover/largest``.
    private static func tag(in source: some ByteSource) throws(ContainerError) -> ID3Tag? {
        let head = try source.bytes(0..<min(source.length, Int64(ID3Tag.headerLength)), limit: ID3Tag.headerLength)
        guard let length = head.withUnsafeBytes({ ID3Tag.length($0) }), length <= Cover.largest else { return nil }
        let bytes = try source.bytes(0..<min(source.length, Int64(length)), limit: Cover.largest)
        return bytes.withUnsafeBytes { try? ID3Tag($0) }
    }

    private static func counted(_ contents: ContainerContents<some ByteSource>) throws(ContainerError) -> Double? {
        var total = AudioTotal()
        let demuxer = PackedAudioDemuxer()
        try contents.push(into: &total, demuxer.push, demuxer.finish)
        // The track has its timescale after the first frame.
        guard let track = demuxer.tracks.first, track.timescale > 1 else { return nil }
        return Double(total.duration) / Double(track.timescale)
    }

    /// A sink that adds up the durations of audio frames.
    private struct AudioTotal: SampleSink {
        private(set) var duration: Int64 = 0

        mutating func tracks(_: [MediaTrack]) {}

        mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
            if sample.track == 0 { duration &+= sample.duration }
        }
    }
}
