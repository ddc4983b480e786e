public import MediaContainers

/// A virtual progressive MP4 of a stream, with its index at the beginning. The file isn't stored; its bytes are
/// produced on demand.
///
/// The stream is read once to determine the sizes and times of its samples, which define the layout of the file. The
/// index and a checksum for about each second stay in memory. To serve a range, the stream is remuxed from an
/// earlier part on, and the result is verified against the checksums.
public final class StreamMovie<Resources: StreamResources & Sendable>: Sendable {
    /// The plan of the stream, with long transport streams divided into several parts.
    public let plan: StreamPlan
    /// The length of the file in bytes.
    public let length: Int64
    /// A hash of the file's contents, in hexadecimal digits.
    public let identity: String
    /// The first bytes of the file: `ftyp`, `moov` and the header of `mdat`.
    let head: [UInt8]
    let table: MovieTable
    /// The segments that became gaps completely or partially, with reasons.
    public let damaged: [DamagedPart]
    /// The gaps in the movie, ordered by start.
    public let gaps: [MovieGap]
    let unreadableParts: Set<StreamRemux<Resources>.PartPosition>
    /// The codecs of each input, by kind.
    let codecs: [[MediaKind: Set<Codec>]]
    /// The source of the stream.
    public let resources: Resources

    /// Reads a whole stream. The call may block its thread.
    ///
    /// - Parameters:
    ///   - resources: The source of the stream, now and for later reads.
    ///   - missingParts: The handling of parts that can't be read. Damaged segments become gaps in any case.
    ///   - onPart: A function that is called after each part with the number of finished parts and the total. If
    ///     it throws, reading ends.
    /// - Throws: `ContainerError`: `inputOutput` for a part that can't be read; `limitExceeded` for more than 65,535
    ///   inputs; the errors of `StreamRemux`, with the name of the part in the message; the error of the first damaged
    ///   segment if there are no tracks; `malformed` if there are no samples; the errors of `onPart`.
    public convenience init(
        _ plan: StreamPlan, resources: Resources, missingParts: StreamRemux<Resources>.MissingParts = .fail,
        onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) {
        try self.init(plan, resources: resources, partLength: 8 << 20, missingParts: missingParts, onPart: onPart)
    }

    /// Reads a whole stream, and divides long parts into parts of about `partLength` bytes.
    init(
        _ plan: StreamPlan, resources: Resources, partLength: Int64,
        missingParts: StreamRemux<Resources>.MissingParts = .fail,
        onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) {
        let plan = try PartDivision(resources, partLength: partLength).divided(plan)
        guard plan.inputs.count <= UInt16.max else {
            throw ContainerError(.limitExceeded, "more than \(UInt16.max) inputs")
        }
        let survey = MovieSurvey()
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = missingParts
        var remuxer = Remuxer(
            into: survey, inputs: plan.inputs.count, audioLabels: plan.audioLabels, codecs: try remux.commonCodecs())
        let all = plan.inputs.reduce(0) { $0 + $1.count }
        var done = 0
        while let input = try remux.step(into: &remuxer) {
            try survey.endStep(input: input)
            done += 1
            try onPart(done, all)
        }
        _ = try remuxer.finish()
        if let firstDamage = remux.firstDamage, remuxer.tracks.isEmpty { throw firstDamage }
        try survey.finish()
        damaged = remux.damaged
        unreadableParts = remux.unreadableParts
        gaps =
            (plan.gaps + remux.damaged.map { MovieGap(.damaged, $0.part) }
            + remux.missing.map { MovieGap(.missing, $0) }).sorted { $0.start < $1.start }
        codecs = remuxer.codecs
        self.plan = plan
        self.resources = resources
        table = survey.table
        head = try survey.builder.progressiveLayout().head
        length = Int64(head.count) + survey.builder.mediaLength
        identity = table.identity(head: head)
    }

    /// Whether the movie has no video.
    public var isAudioOnly: Bool { !table.tracks.contains { $0.kind == .video } }

    /// The approximate memory use in bytes.
    public var memory: Int64 {
        let parts = plan.inputs.reduce(0) { $0 + $1.count }
        // A part's URL is stored outside the structure, in about 128 bytes.
        return Int64(head.count) + table.memory + Int64(parts * (MemoryLayout<StreamPart>.stride + 128))
    }

    /// Returns a reader. Each client needs its own, because a reader remembers its position.
    ///
    /// - Parameters:
    ///   - budget: The memory limit, shared with other readers; 64 MiB for this reader by default.
    ///   - resources: Another source of the same stream; nil means the movie's.
    public func reader(
        sharing budget: ReaderMemoryBudget = ReaderMemoryBudget(of: 64 << 20), from resources: Resources? = nil
    ) -> StreamMovieReader<Resources> { StreamMovieReader(self, budget, resources ?? self.resources) }
}

/// A gap in a movie, where a segment of its stream is missing.
public struct MovieGap: Sendable, Hashable {
    /// The cause of a gap.
    public enum Cause: String, Sendable, Hashable {
        /// The playlist marks the segment as a gap (EXT-X-GAP, RFC 8216bis §4.4.4.7).
        case lost
        /// The segment couldn't be read, for example because it isn't cached.
        case missing
        /// The segment is damaged, can't be decrypted, or has a different codec than its track.
        case damaged
    }

    /// The cause.
    public var cause: Cause
    /// The start in seconds from the beginning of the first segment, according to the playlist.
    public var start: Double
    /// The duration in seconds.
    public var duration: Double
    /// The last path component of the segment's URL; empty if the playlist marks the segment as a gap.
    public var name = ""

    init(_ cause: Cause, start: Double, duration: Double) {
        self.cause = cause
        self.start = start
        self.duration = duration
    }

    init(_ cause: Cause, _ part: StreamPart) {
        self.init(cause, start: part.start, duration: part.duration)
        name = part.name
    }
}
