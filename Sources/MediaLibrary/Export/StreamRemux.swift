internal import Foundation
public import MediaContainers

/// A remux of a stream. It reads the parts of a plan in order of time, decrypts them, and joins their samples.
public struct StreamRemux<Resources: StreamResources> {
    /// The handling of parts that can't be read.
    public enum MissingParts: Sendable, Hashable {
        /// The remux fails.
        case fail
        /// Missing parts become gaps of the same duration.
        case leaveGaps
    }

    /// The parts to read.
    public let plan: StreamPlan
    /// The handling of parts that can't be read.
    public var missingParts = MissingParts.fail
    /// The start of the output, in seconds from the stream's beginning; nil reads everything. Parts that the
    /// output doesn't need aren't read, except the first, which determines the beginning of presentation.
    public var start: Double?
    /// The latest start of a part that is read, in seconds from the stream's beginning; nil reads everything.
    public var end: Double?
    /// The parts that couldn't be read, in order.
    public private(set) var missing: [StreamPart] = []
    /// The segments that became gaps completely or partially, in order: damaged, undecryptable, or with another codec.
    public private(set) var damaged: [DamagedPart] = []
    /// The first error of ``damaged``, with the name of the part.
    package private(set) var firstDamage: ContainerError?
    package var unreadableParts: Set<PartPosition> = []
    package let presentationStart = PresentationStart()

    /// The position of a part in a plan.
    package struct PartPosition: Sendable, Hashable {
        package var input: Int
        package var index: Int
    }

    /// Whether subtitles become tracks of the output. They're available as ``subtitles`` in any case.
    public var embedsSubtitles = false
    /// The subtitles, with times on the output's timeline; those that couldn't be converted are empty.
    public private(set) var subtitles: [SubtitleTrack] = []
    /// Descriptions of subtitles that couldn't be converted, with reasons.
    public private(set) var omittedSubtitles: [String] = []
    /// The tracks that aren't part of the output.
    public private(set) var omittedTracks: [MediaTrack] = []
    /// The damage that was skipped.
    public private(set) var damage = RemuxDamage()
    package private(set) var nextParts: [Int] = []
    /// The join of each input's next part if the part's own is `continuous`: `gap` after missing media, or the join of
    /// an omitted part with a discontinuity.
    private var nextJoins: [SegmentJoin] = []
    /// The end of the last part that was read of each input, in seconds according to the playlist.
    private var ends: [Double?] = []
    /// The index of the part that follows the first part of each input; 0 means the second part.
    private var resumptions: [Int] = []
    private static var maximumSubtitleSegment: Int { 16 << 20 }
    var maximumSubtitleBytes = 64 << 20
    var maximumCues = 1_000_000

    /// The assumed inaccuracy of times in playlists, in seconds.
    private static var tolerance: Double { 10 }
    /// The assumed rounding error in sums of durations, in seconds.
    private static var rounding: Double { 1e-3 }

    var reader: PartReader<Resources>

    /// Creates a remux of `plan`, read from `resources`.
    public init(_ plan: StreamPlan, resources: Resources) {
        self.plan = plan
        reader = PartReader(resources)
        begin(at: [Int](repeating: 0, count: plan.inputs.count))
    }

    /// Writes the stream to an output, and returns the output.
    ///
    /// - Parameter onPart: A function that is called after each part with the number of finished parts and the total.
    /// - Throws: `ContainerError`, with the name of the part in its message if there are several; errors of the output.
    public mutating func run<Output: SampleSink>(
        into output: Output, onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) -> Output {
        begin(at: [Int](repeating: 0, count: plan.inputs.count))
        var remuxer = Remuxer(
            into: output, inputs: plan.inputs.count, audioLabels: plan.audioLabels, codecs: try commonCodecs())
        if let start { resumptions = try resumptions(at: start) }
        let passed = resumptions.reduce(0) { $0 + max(0, $1 - 1) }
        let all = plan.inputs.reduce(0) { $0 + $1.count } - passed
        var done = 0
        while try step(into: &remuxer) != nil {
            done += 1
            try onPart(done, all)
        }
        var result = try remuxer.finish()
        if let firstDamage, remuxer.tracks.isEmpty { throw firstDamage }
        omittedTracks = remuxer.omittedTracks
        damage = remuxer.damage
        try readSubtitles(along: remuxer.clockPeriods)
        if embedsSubtitles { try embed(along: remuxer.clockPeriods, behind: remuxer.tracks, into: &result) }
        return result
    }

    /// Limits the remux to a time range. Parts that begin a few seconds after its end are also read, because times in
    /// playlists are rounded.
    package mutating func limit(from start: Double?, to end: Double?) {
        self.start = start
        self.end = end.map { $0 + Self.tolerance }
    }

    /// Limits the remux to a time range, and returns a filter that passes on the samples in that range.
    package mutating func cut<Output: SampleSink>(
        into output: Output, from start: Double?, to end: Double?
    ) -> TimeCut<Output> {
        limit(from: start, to: end)
        let presentationStart = presentationStart
        return TimeCut(output, from: start, to: end) { presentationStart.seconds ?? 0 }
    }

    package mutating func begin(at nextParts: [Int]) {
        self.nextParts = nextParts
        presentationStart.seconds = nil
        nextJoins = [SegmentJoin](repeating: .continuous, count: plan.inputs.count)
        resumptions = [Int](repeating: 0, count: plan.inputs.count)
        ends = [Double?](repeating: nil, count: plan.inputs.count)
    }

    /// Reads the earliest of the inputs' next parts into a remuxer with the plan's inputs. Returns the index of the
    /// input; nil if no parts are left.
    package mutating func step<Output: SampleSink>(into remuxer: inout Remuxer<Output>) throws(ContainerError) -> Int? {
        while let input = nextInput {
            let part = plan.inputs[input][nextParts[input]]
            nextParts[input] += 1
            defer {
                if resumptions[input] > nextParts[input] {
                    nextParts[input] = resumptions[input]
                    if nextJoins[input] == .continuous { nextJoins[input] = .gap }
                }
            }
            if let end, part.start > end { continue }
            guard !unreadableParts.contains(PartPosition(input: input, index: nextParts[input] - 1)) else {
                leaveOut(part, of: input)
                missing.append(part)
                return input
            }
            // The output needs the start while the part is read.
            let isFirst = presentationStart.seconds == nil
            if isFirst { presentationStart.seconds = part.start }
            do throws(ContainerError) {
                let join = part.join == .continuous ? nextJoins[input] : part.join
                let missing = part.start - (ends[input] ?? part.start)
                let damage = try append(
                    part, to: &remuxer, input: input, join: join, missing: missing > Self.rounding ? missing : 0,
                    toleratesDamage: part.isSegment)
                if let damage { note(damage.error, of: part) }
                guard damage?.isEmpty != true else {
                    if isFirst { presentationStart.seconds = nil }
                    leaveOut(part, of: input)
                    return input
                }
                note(remuxer.unannouncedGaps(of: input), at: nextParts[input] - 1, of: input)
                nextJoins[input] = damage?.isTruncated == true ? .gap : .continuous
                ends[input] = part.start + part.duration
            } catch {
                var error = error
                let isUnreadable =
                    error.code == .inputOutput && !(error.cause is CancellationError) && !remuxer.hasOutputFailed
                guard isUnreadable, missingParts == .leaveGaps else {
                    let isAlone = plan.inputs.count == 1 && plan.inputs[0].count == 1
                    error.summary = isAlone ? error.summary : "\(part.name): \(error.summary)"
                    throw error
                }
                if isFirst { presentationStart.seconds = nil }
                missing.append(part)
                unreadableParts.insert(PartPosition(input: input, index: nextParts[input] - 1))
                leaveOut(part, of: input)
            }
            return input
        }
        return nil
    }

    private mutating func leaveOut(_ part: StreamPart, of input: Int) {
        // After a discontinuity, the next part also has another clock.
        guard part.join == .continuous else {
            nextJoins[input] = part.join
            return
        }
        if nextJoins[input] == .continuous { nextJoins[input] = .gap }
    }

    private mutating func note(_ damage: ContainerError, of part: StreamPart) {
        damaged.append(DamagedPart(part: part, reason: damage.summary))
        guard firstDamage == nil else { return }
        var error = damage
        error.summary = "\(part.name): \(error.summary)"
        firstDamage = error
    }

    /// Notes media that is missing from a part, or from the end of the previous part.
    private mutating func note(_ gaps: [UnannouncedGap], at index: Int, of input: Int) {
        for gap in gaps {
            let isBefore = gap.isBeforeSegment && index > 0
            let part = plan.inputs[input][isBefore ? index - 1 : index]
            guard !damaged.suffix(plan.inputs.count + 1).contains(where: { $0.part == part }) else { continue }
            let seconds = (gap.duration * 100).rounded() / 100
            let reason = isBefore ? "the segment ends \(seconds) s too early" : "\(seconds) s of media are missing"
            damaged.append(DamagedPart(part: part, reason: reason))
        }
    }

    private mutating func readSubtitles(along clockPeriods: [JoinedClockPeriod]) throws(ContainerError) {
        let begin = plan.inputs.compactMap(\.first?.start).min() ?? 0
        let alignment = SubtitleAlignment(clockPeriods, from: begin)
        for rendition in plan.subtitles {
            var track = SubtitleTrack(language: rendition.language)
            var problem = rendition.problem
            var space = Int64(maximumSubtitleBytes)
            for part in rendition.parts where problem == nil {
                if let end, part.start > end { continue }
                if let start, part.duration > 0, part.start + part.duration < start - Self.tolerance { continue }
                do throws(ContainerError) {
                    let document = try WebVTTDocument(try contents(of: part, space: &space))
                    if track.cues.isEmpty { track.header = document.header }
                    track.add(alignment.cues(of: document, at: part.start, duration: part.duration))
                    guard track.cues.count <= maximumCues else {
                        throw ContainerError(.unsupported, "more than \(maximumCues) cues")
                    }
                } catch {
                    if error.cause is CancellationError { throw error }
                    problem = "\(part.name): \(error.summary)"
                }
            }
            if let problem { omittedSubtitles.append("subtitles “\(rendition.name)”: \(problem)") }
            if problem == nil { track.sort() }
            subtitles.append(problem == nil ? track : SubtitleTrack())
        }
    }

    private mutating func embed<Output: SampleSink>(
        along clockPeriods: [JoinedClockPeriod], behind tracks: [MediaTrack], into output: inout Output
    ) throws(ContainerError) {
        let embedded = zip(plan.subtitles, subtitles).filter { !$0.1.cues.isEmpty }
        guard !embedded.isEmpty, let first = clockPeriods.first, let last = clockPeriods.last else { return }
        let presentation = first.start + first.shift..<max(first.start + first.shift, last.end + last.shift)
        try output.tracks(tracks + embedded.map(\.1.mediaTrack))
        for (index, (rendition, track)) in embedded.enumerated() {
            let count = try track.deliver(to: &output, track: tracks.count + index, along: presentation)
            guard count > 0 else { continue }
            omittedSubtitles.append("\(count) cues of subtitles “\(rendition.name)”: too many are shown at once")
        }
    }

    /// Returns the decrypted bytes of a subtitle segment. `space` is the number of bytes still permitted.
    private mutating func contents(of part: StreamPart, space: inout Int64) throws(ContainerError) -> [UInt8] {
        let bytes = try reader.bytes(of: part)
        space -= bytes.length
        guard space >= 0 else { throw ContainerError(.unsupported, "more than \(maximumSubtitleBytes) bytes of text") }
        return try bytes.bytes(0..<bytes.length, limit: Self.maximumSubtitleSegment)
    }

    private var nextInput: Int? {
        plan.inputs.indices.filter { nextParts[$0] < plan.inputs[$0].count }
            .min { plan.inputs[$0][nextParts[$0]].start < plan.inputs[$1][nextParts[$1]].start }
    }

    mutating func append<Output: SampleSink>(
        _ part: StreamPart, to remuxer: inout Remuxer<Output>, input: Int, join: SegmentJoin, missing: Double = 0,
        toleratesDamage: Bool = false
    ) throws(ContainerError) -> SegmentDamage? {
        let (movie, source): (Movie?, PartBytes<Resources.Bytes>)
        do throws(ContainerError) {
            let opened = try reader.open(part)
            (movie, source) = (opened.movie, opened.bytes)
        } catch {
            guard toleratesDamage, error.code != .inputOutput else { throw error }
            return SegmentDamage(error: error, isTruncated: true, isEmpty: true)
        }
        return try remuxer.append(
            source, initialization: movie, input: input, join: join, discontinuities: part.discontinuities,
            missing: missing, toleratesDamage: toleratesDamage)
    }
}
