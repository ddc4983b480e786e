/// A reader of MP4, QuickTime and fragmented MP4 files (ISO/IEC 14496-12). Opening a file reads the box headers up to
/// `moov`, and `moov` itself. Samples are located on demand.
public struct MP4Reader<Source: ByteSource> {
    /// The bytes of the file.
    public let source: Source
    /// The movie, with tracks, sample tables and edit lists.
    public let movie: Movie
    /// The offset at which the search for fragments begins: after `moov`, or 0 if the movie is from an initialization
    /// section.
    let fragmentsBegin: Int64

    /// The maximum size of a `moov` or `moof` in bytes.
    static var maximumIndexLength: Int { 512 << 20 }

    /// The maximum number of boxes to skip while looking for the next relevant one.
    static var maximumBoxes: Int { 100_000 }

    /// Opens a file. Segments that contain only fragments need the movie of their media initialization section.
    ///
    /// Throws `notThisFormat` when the file doesn't begin with a known box, `malformed` when it has no `moov`,
    /// `truncated` when `moov` extends past the end of the file, other errors for damage, and those of the source.
    public init(_ source: Source, initialization: Movie? = nil) throws(ContainerError) {
        self.source = source
        if let initialization {
            movie = initialization
            fragmentsBegin = 0
            return
        }
        var boxes = TopLevelBoxes(source)
        var count = 0
        while let header = try boxes.next() {
            if count == 0, !MP4Format.firstTypes.contains(header.type) {
                throw ContainerError(
                    .notThisFormat, "not an MP4 file: its first box is \(header.type)", at: header.offset)
            }
            count += 1
            guard count <= Self.maximumBoxes else {
                throw ContainerError(.limitExceeded, "no moov among the first \(count) boxes", at: header.offset)
            }
            guard header.type == "moov" else { continue }
            let payload = try source.bytes(header.payload, limit: Self.maximumIndexLength)
            movie = try Movie(payload: payload, at: header.payload.lowerBound)
            fragmentsBegin = header.end
            return
        }
        throw ContainerError(
            .malformed, "no moov: the file has no index", at: source.length,
            advice: "A segment needs its initialization section; a truncated recording can't be read")
    }

    /// The tracks, indexed by ``MediaSample/track``.
    public var tracks: [MediaTrack] { movie.mediaTracks }

    /// Returns an iterator over the samples of all tracks. Throws when the tables are damaged.
    public func samples() throws(ContainerError) -> MovieSamples<Source> { try MovieSamples(self) }

    /// Passes all tracks and samples to a sink, which borrows each sample from a buffer of 1 MiB, or of the size of the
    /// largest sample. Throws `truncated` at the first sample that extends past the end of the file, other errors for
    /// damage, and the errors of source and sink.
    public func deliver<Sink: SampleSink>(to sink: inout Sink) throws(ContainerError) {
        var shifts: [Int64] = []
        try deliver(to: &sink, decodingShifts: &shifts)
    }

    /// Passes all tracks and samples to a sink. Decoding times of fragments are moved back by at least `shifts`, one
    /// for each track, so that no sample is presented before it is decoded. Pass the shifts of the previous segment to
    /// keep decoding times continuous.
    func deliver<Sink: SampleSink>(to sink: inout Sink, decodingShifts shifts: inout [Int64]) throws(ContainerError) {
        try sink.tracks(tracks)
        var samples = try MovieSamples(self, decodingShifts: shifts)
        defer { shifts = samples.decodingShifts }
        var window = SourceWindow(source)
        while let sample = try samples.next() {
            try window.withBytes(at: sample.offset, count: sample.size) { (bytes) throws(ContainerError) in
                try sink.sample(sample, bytes: bytes)
            }
        }
    }
}

/// Detection of MP4 and QuickTime files.
public enum MP4Format {
    /// The box types that a file or segment can begin with.
    static let firstTypes: Set<FourCC> = [
        "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "sidx", "emsg", "prft", "pdin", "meta", "uuid",
        "ssix", "pnot", "udta",
    ]

    /// Returns whether bytes, at least 8, look like the start of an MP4 or QuickTime file or segment.
    public static func isRecognized(_ prefix: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(prefix)
        guard let size = try? reader.uint32(), let type = try? reader.fourCC() else { return false }
        return (size >= 8 || size == 1 || size == 0 && type == "mdat") && firstTypes.contains(type)
    }
}
