/// Reads MP4, QuickTime and fragmented MP4 (ISO/IEC 14496-12): the tracks, then their samples.
///
/// Opening reads the headers of the file's boxes up to `moov`, and `moov`; samples are found as they are asked for.
public struct MP4Reader<Source: ByteSource> {
    /// The file's bytes.
    public let source: Source
    /// The movie: tracks, sample tables, edit lists.
    public let movie: Movie
    /// Where fragments are looked for: after `moov`, or from the start where the movie came from elsewhere.
    let fragmentsBegin: Int64

    /// The largest `moov` or `moof` that is read: 512 MiB, room for the tables of some weeks of media.
    static var largestIndex: Int { 512 << 20 }

    /// How many boxes are passed over in search of the next that matters.
    static var mostBoxes: Int { 100_000 }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - source: The file's bytes.
    ///   - initialization: The movie of a media initialization section, for segments that hold fragments only.
    /// - Throws: ``ContainerError/Code-swift.enum/notThisFormat`` when the file doesn't begin with a box,
    ///   ``ContainerError/Code-swift.enum/malformed`` when it has no `moov`.
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
                throw ContainerError(.notThisFormat, "the first box is \(header.type)", at: header.offset)
            }
            count += 1
            guard count <= Self.mostBoxes else {
                throw ContainerError(.limitExceeded, "\(count) boxes and no moov", at: header.offset)
            }
            guard header.type == "moov" else { continue }
            let payload = try source.bytes(header.payload, limit: Self.largestIndex)
            movie = try Movie(payload: payload, at: header.payload.lowerBound)
            fragmentsBegin = header.end
            return
        }
        throw ContainerError(
            .malformed, "no moov: the file has no index", at: source.length,
            advice: "A segment needs its initialization section; a recording that was cut off can't be read")
    }

    /// The tracks, in the order of ``MediaSample/track``.
    public var tracks: [MediaTrack] { movie.mediaTracks }

    /// Walks through the samples of all tracks; see ``MovieSamples`` for their order.
    public func samples() throws(ContainerError) -> MovieSamples<Source> { try MovieSamples(self) }

    /// Gives all samples with their bytes to a sink.
    ///
    /// Memory is bounded: the sink borrows each sample from a buffer of 1 MiB, or of the largest sample if that is
    /// more.
    ///
    /// - Parameter sink: What takes tracks and samples.
    /// - Throws: ``ContainerError``, the sink's too; ``ContainerError/Code-swift.enum/truncated`` at the first sample
    ///   that the file has no bytes for.
    public func deliver<Sink: SampleSink>(to sink: inout Sink) throws(ContainerError) {
        var shifts: [Int64] = []
        try deliver(to: &sink, decodingShifts: &shifts)
    }

    /// Gives all samples with their bytes to a sink, as ``deliver(to:)`` does.
    ///
    /// - Parameter shifts: By how much decoding times of fragments come before those stored, for each track, so that no
    ///   sample is shown before it's decoded: at least as much as in the segments before, so that decoding goes on evenly.
    func deliver<Sink: SampleSink>(
        to sink: inout Sink, decodingShifts shifts: inout [Int64]
    ) throws(ContainerError) {
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

/// What tells an MP4 or QuickTime file from others.
public enum MP4Format {
    /// The types that a file or segment can begin with.
    static let firstTypes: Set<FourCC> = [
        "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "sidx", "emsg", "prft", "pdin", "meta", "uuid",
        "ssix", "pnot", "udta",
    ]

    /// Whether bytes from the start of a file look like MP4, QuickTime or a segment of them.
    ///
    /// - Parameter prefix: The first bytes, 8 at least.
    public static func isRecognised(_ prefix: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(prefix)
        guard let size = try? reader.uint32(), let type = try? reader.fourCC() else { return false }
        return (size >= 8 || size == 1 || size == 0 && type == "mdat") && firstTypes.contains(type)
    }
}
