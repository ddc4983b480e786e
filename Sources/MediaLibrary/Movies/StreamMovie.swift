public import MediaContainers

/// A stream as one progressive MP4 with its index first, which isn't written: any range of it can be read, again and again.
///
/// The stream is read once to know its samples' sizes and times, which fix where everything lies. Kept of it are the
/// index, and a checksum for each second or so. What is asked for is remuxed when it's asked for, from a part before it
/// on, and compared with these before a byte of it is handed out.
public final class StreamMovie<Resources: StreamResources & Sendable>: Sendable {
    /// What it's made of. Long transport streams are several parts here.
    public let plan: StreamPlan
    /// The file's length in bytes.
    public let length: Int64
    /// What tells this file from every other, in hexadecimal digits: the same for the same bytes, at any time.
    public let identity: String
    /// `ftyp`, `moov` and the header of `mdat`: the file's first bytes.
    let head: [UInt8]
    let table: MovieTable
    /// The segments that stay gaps, or parts of which do, and why.
    public let damaged: [DamagedPart]
    /// The gaps in it, in the order of their beginnings.
    public let gaps: [MovieGap]
    /// The parts that couldn't be read.
    let absent: Set<StreamRemux<Resources>.PartPlace>
    /// The codecs of each input, by kind.
    let codecs: [[MediaKind: Set<Codec>]]
    /// Where it's read.
    public let resources: Resources

    /// Reads all of a stream, on a thread that may wait.
    ///
    /// - Parameters:
    ///   - plan: what it's made of.
    ///   - resources: where it's read, now and later.
    ///   - missingParts: what is done about parts that can't be read. Damaged segments stay gaps in any case.
    ///   - onPart: gets each part when it's done, and how many there are in all; what it throws ends the work.
    /// - Throws: `ContainerError`: `inputOutput` for a part that can't be read, naming it; what `StreamRemux` throws;
    ///   `malformed` where there are no samples.
    public convenience init(
        _ plan: StreamPlan, resources: Resources,
        missingParts: StreamRemux<Resources>.MissingParts = .fail,
        onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) {
        try self.init(plan, resources: resources, partLength: 8 << 20, missingParts: missingParts, onPart: onPart)
    }

    /// Reads all of a stream, whose long parts become parts of about `partLength` bytes.
    init(
        _ plan: StreamPlan, resources: Resources, partLength: Int64,
        missingParts: StreamRemux<Resources>.MissingParts = .fail,
        onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) {
        let plan = try PartDivision(resources, partLength: partLength).divided(plan)
        guard plan.inputs.count <= UInt16.max else { throw ContainerError(.limitExceeded, "too many inputs") }
        let survey = MovieSurvey()
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = missingParts
        var remuxer = Remuxer(
            into: survey, inputs: plan.inputs.count, sounds: plan.sounds, codecs: try remux.commonCodecs())
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
        absent = remux.absent
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

    /// Whether there are no pictures in it.
    public var isSound: Bool { !table.tracks.contains { $0.kind == .video } }

    /// About how many bytes of memory it takes.
    public var memory: Int64 {
        let parts = plan.inputs.reduce(0) { $0 + $1.count }
        // A part's URL is a string of its own.
        return Int64(head.count) + table.memory + Int64(parts * (MemoryLayout<StreamPart>.stride + 128))
    }

    /// A way to read it: one for each who reads, since it remembers where it is.
    ///
    /// - Parameters:
    ///   - holding: what it may hold, together with the others that share this. Unless given, 64 MiB alone.
    ///   - resources: where it reads the stream, which has to be the same; nil is where the movie was read.
    public func reader(
        sharing holding: SharedHolding = SharedHolding(of: 64 << 20), from resources: Resources? = nil
    ) -> StreamMovieReader<Resources> {
        StreamMovieReader(self, holding, resources ?? self.resources)
    }
}
