internal import Foundation
public import MediaContainers

/// Brings the parts of a plan into one sequence of samples, in the order of their times, decrypted and joined.
public struct StreamRemux<Resources: StreamResources> {
    /// What is done about a part that can't be read.
    public enum MissingParts: Sendable, Hashable {
        /// Nothing is made.
        case fail
        /// It stays a gap of its length.
        case leaveGaps
    }

    /// What is read.
    public let plan: StreamPlan
    /// What is done about a part that can't be read.
    public var missingParts = MissingParts.fail
    /// The output begins at this time, in seconds from the beginning of presentation: parts of no use for it aren't read,
    /// but for the first, which tells when presentation begins. Nil reads all.
    public var start: Double?
    /// Parts that begin later aren't read, in seconds; nil reads all.
    public var end: Double?
    /// The parts that couldn't be read, in order.
    public private(set) var missing: [StreamPart] = []
    /// The segments of playlists of which something couldn't be carried over, in order: damaged, scrambled, or of another
    /// codec than the track's. They stay gaps.
    public private(set) var damaged: [DamagedPart] = []
    /// The first of their errors, with the part's name.
    package private(set) var firstDamage: ContainerError?
    /// Parts that are known not to be readable, by input and place.
    package var absent: Set<PartPlace> = []
    /// Where the output begins on the stream's timeline, once that is known.
    package let presentationStart = PresentationStart()

    /// A part of a plan by its place.
    package struct PartPlace: Sendable, Hashable {
        /// The input.
        package var input: Int
        /// The part's place in the input.
        package var index: Int
    }

    /// Whether subtitles become tracks of the output; in any case they are in ``subtitles``.
    public var embedsSubtitles = false
    /// The subtitles that were read, with times on the output's timeline; those with a problem are empty.
    public private(set) var subtitles: [SubtitleTrack] = []
    /// Subtitles that weren't carried over, and why.
    public private(set) var leftOutSubtitles: [String] = []
    /// The tracks that weren't carried over.
    public private(set) var leftOut: [MediaTrack] = []
    /// Damage that was gone past.
    public private(set) var damage = RemuxDamage()
    /// The next part of each input.
    package private(set) var places: [Int]
    /// How that part goes on where it doesn't say: after parts that couldn't be read, with a gap.
    private var follows: [SegmentJoin] = []
    /// When the last part of each input that was read ended, in seconds by the playlist.
    private var ends: [Double?] = []
    /// Where each input goes on behind its first part; 0 is at the next.
    private var resumptions: [Int] = []
    /// The largest segment of subtitles that is read: those of a long film.
    private static var largestText: Int { 16 << 20 }
    /// The most text of a rendition of subtitles, in bytes; one with more isn't carried over.
    var largestSubtitles = 64 << 20
    /// The most cues of one.
    var mostCues = 1_000_000

    /// By so many seconds playlists may round.
    private static var leeway: Double { 10 }
    /// Sums of durations differ by less than this.
    private static var rounding: Double { 1e-3 }

    private let resources: Resources
    private var keys: [String: [UInt8]] = [:]
    private var sections: [StreamPart.Section: Movie] = [:]

    /// A remux of `plan`, read from `resources`.
    public init(_ plan: StreamPlan, resources: Resources) {
        self.plan = plan
        self.resources = resources
        places = []
        begin(at: [Int](repeating: 0, count: plan.inputs.count))
    }

    /// Does it.
    ///
    /// - Parameters:
    ///   - output: what takes the samples.
    ///   - onPart: gets each part when it's done, and how many there are in all.
    /// - Returns: the output.
    /// - Throws: `ContainerError`, naming the part; what the output throws.
    public mutating func run<Output: SampleSink>(
        into output: Output, onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) -> Output {
        begin(at: [Int](repeating: 0, count: plan.inputs.count))
        var remuxer = Remuxer(
            into: output, inputs: plan.inputs.count, sounds: plan.sounds, codecs: try commonCodecs())
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
        leftOut = remuxer.leftOut
        damage = remuxer.damage
        try readSubtitles(along: remuxer.stretches)
        if embedsSubtitles { try embed(along: remuxer.stretches, behind: remuxer.tracks, into: &result) }
        return result
    }

    /// Takes a stretch alone; what begins up to a few seconds behind it is read too, since playlists round.
    package mutating func take(from start: Double?, to end: Double?) {
        self.start = start
        self.end = end.map { $0 + Self.leeway }
    }

    /// Takes a stretch alone, and makes the cut that passes its samples on.
    ///
    /// - Parameters:
    ///   - start: where it begins, in seconds from the stream's beginning; nil is the beginning of presentation.
    ///   - end: where it ends; nil is the end.
    package mutating func cut<Output: SampleSink>(
        into output: Output, from start: Double?, to end: Double?
    ) -> TimeCut<Output> {
        take(from: start, to: end)
        let presentationStart = presentationStart
        return TimeCut(output, from: start, to: end) { presentationStart.seconds ?? 0 }
    }

    /// Makes a part of each input the next one.
    package mutating func begin(at places: [Int]) {
        self.places = places
        presentationStart.seconds = nil
        follows = [SegmentJoin](repeating: .continuous, count: plan.inputs.count)
        resumptions = [Int](repeating: 0, count: plan.inputs.count)
        ends = [Double?](repeating: nil, count: plan.inputs.count)
    }

    /// Takes the next part: of the input whose turn it is by the times at which parts begin.
    ///
    /// - Parameter remuxer: what joins the parts; its inputs are the plan's.
    /// - Returns: which input's part it was; nil where there are no more.
    /// - Throws: as ``run(into:onPart:)``.
    package mutating func step<Output: SampleSink>(
        into remuxer: inout Remuxer<Output>
    ) throws(ContainerError) -> Int? {
        while let input = nextInput {
            let part = plan.inputs[input][places[input]]
            places[input] += 1
            defer {
                if resumptions[input] > places[input] {
                    places[input] = resumptions[input]
                    if follows[input] == .continuous { follows[input] = .gap }
                }
            }
            if let end, part.start > end { continue }
            guard !absent.contains(PartPlace(input: input, index: places[input] - 1)) else {
                leaveOut(part, of: input)
                missing.append(part)
                return input
            }
            // Samples ask for it while the part is read.
            let isFirst = presentationStart.seconds == nil
            if isFirst { presentationStart.seconds = part.start }
            do throws(ContainerError) {
                let join = part.join == .continuous ? follows[input] : part.join
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
                follows[input] = damage?.isCutShort == true ? .gap : .continuous
                ends[input] = part.start + part.duration
            } catch {
                var error = error
                let isGone =
                    error.code == .inputOutput && !(error.cause is CancellationError) && !remuxer.hasOutputFailed
                guard isGone, missingParts == .leaveGaps else {
                    let isAlone = plan.inputs.count == 1 && plan.inputs[0].count == 1
                    error.what = isAlone ? error.what : "\(part.name): \(error.what)"
                    throw error
                }
                if isFirst { presentationStart.seconds = nil }
                missing.append(part)
                absent.insert(PartPlace(input: input, index: places[input] - 1))
                leaveOut(part, of: input)
            }
            return input
        }
        return nil
    }

    /// Lets a part that gave nothing stay a gap.
    private mutating func leaveOut(_ part: StreamPart, of input: Int) {
        // After a discontinuity the next part is on another clock still.
        guard part.join == .continuous else {
            follows[input] = part.join
            return
        }
        if follows[input] == .continuous { follows[input] = .gap }
    }

    private mutating func note(_ damage: ContainerError, of part: StreamPart) {
        damaged.append(DamagedPart(part: part, reason: damage.what))
        guard firstDamage == nil else { return }
        var error = damage
        error.what = "\(part.name): \(error.what)"
        firstDamage = error
    }

    // MARK: - Subtitles

    private mutating func readSubtitles(along stretches: [JoinedStretch]) throws(ContainerError) {
        let begin = plan.inputs.compactMap(\.first?.start).min() ?? 0
        let alignment = SubtitleAlignment(stretches, from: begin)
        for rendition in plan.subtitles {
            var track = SubtitleTrack(language: rendition.language)
            var problem = rendition.problem
            var room = Int64(largestSubtitles)
            for part in rendition.parts where problem == nil {
                if let end, part.start > end { continue }
                if let start, part.duration > 0, part.start + part.duration < start - Self.leeway { continue }
                do throws(ContainerError) {
                    let document = try WebVTTDocument(try contents(of: part, room: &room))
                    if track.cues.isEmpty { track.header = document.header }
                    track.add(alignment.cues(of: document, at: part.start, lasting: part.duration))
                    guard track.cues.count <= mostCues else {
                        throw ContainerError(.unsupported, "they have more than \(mostCues) cues")
                    }
                } catch {
                    if error.cause is CancellationError { throw error }
                    problem = "\(part.name): \(error.what)"
                }
            }
            if let problem { leftOutSubtitles.append("subtitles “\(rendition.name)”: \(problem)") }
            if problem == nil { track.sort() }
            subtitles.append(problem == nil ? track : SubtitleTrack())
        }
    }

    private mutating func embed<Output: SampleSink>(
        along stretches: [JoinedStretch], behind tracks: [MediaTrack], into output: inout Output
    ) throws(ContainerError) {
        let embedded = zip(plan.subtitles, subtitles).filter { !$0.1.cues.isEmpty }
        guard !embedded.isEmpty, let first = stretches.first, let last = stretches.last else { return }
        let film = first.start + first.shift..<max(first.start + first.shift, last.end + last.shift)
        try output.tracks(tracks + embedded.map(\.1.mediaTrack))
        for (index, (rendition, track)) in embedded.enumerated() {
            let count = try track.deliver(to: &output, track: tracks.count + index, along: film)
            guard count > 0 else { continue }
            leftOutSubtitles.append("\(count) cues of subtitles “\(rendition.name)”: too many are shown at once")
        }
    }

    /// The bytes of a segment of text, in the clear.
    ///
    /// - Parameter room: how many more may be read of its rendition.
    private mutating func contents(of part: StreamPart, room: inout Int64) throws(ContainerError) -> [UInt8] {
        let bytes = try self.bytes(of: part.url, part.range, part.key)
        room -= bytes.length
        guard room >= 0 else {
            throw ContainerError(.unsupported, "they have more than \(largestSubtitles) bytes of text")
        }
        return try bytes.bytes(0..<bytes.length, limit: Self.largestText)
    }

    /// The input whose next part begins first.
    private var nextInput: Int? {
        plan.inputs.indices.filter { places[$0] < plan.inputs[$0].count }
            .min { plan.inputs[$0][places[$0]].start < plan.inputs[$1][places[$1]].start }
    }

    mutating func append<Output: SampleSink>(
        _ part: StreamPart, to remuxer: inout Remuxer<Output>, input: Int, join: SegmentJoin, missing: Double = 0,
        toleratesDamage: Bool = false
    ) throws(ContainerError) -> SegmentDamage? {
        let (movie, source): (Movie?, PartBytes<Resources.Bytes>)
        do throws(ContainerError) {
            if let obstacle = part.obstacle { throw ContainerError(.encrypted, obstacle) }
            movie = try part.section.map { section throws(ContainerError) in try self.movie(section) }
            source = try bytes(of: part.url, part.range, part.key)
        } catch {
            guard toleratesDamage, error.code != .inputOutput else { throw error }
            return SegmentDamage(error: error, isCutShort: true, isEmpty: true)
        }
        return try remuxer.append(
            source, initialization: movie, input: input, join: join, discontinuities: part.discontinuities,
            missing: missing, toleratesDamage: toleratesDamage)
    }

    /// The tracks that a part's front names.
    mutating func tracks(of part: StreamPart) throws(ContainerError) -> [MediaTrack] {
        if let obstacle = part.obstacle { throw ContainerError(.encrypted, obstacle) }
        if let section = part.section { return try movie(section).mediaTracks }
        let source = try bytes(of: part.url, part.range, part.key)
        let length = min(source.length, Int64(SegmentFormat.probeLength))
        let front = try source.bytes(0..<length, limit: SegmentFormat.probeLength)
        var listing = TrackListing()
        let result = front.withUnsafeBytes { bytes in
            Result { () throws(ContainerError) in
                switch SegmentFormat.recognise(bytes, isWhole: source.length == length) {
                case .transportStream: try TransportStreamDemuxer().push(bytes, into: &listing)
                case .packedAudio: try PackedAudioDemuxer().push(bytes, into: &listing)
                case .mp4, nil: break
                }
            }
        }
        try result.get()
        return listing.tracks
    }

    /// Bytes of a part or a section, in the clear.
    private mutating func bytes(
        of url: String, _ range: Range<Int64>?, _ key: SegmentKey?
    ) throws(ContainerError) -> PartBytes<Resources.Bytes> {
        let source = try resources.bytes(of: url, range: range)
        let key = try key.map { key throws(ContainerError) in (key, try contents(of: key)) }
        return try PartBytes(source, key: key)
    }

    private mutating func movie(_ section: StreamPart.Section) throws(ContainerError) -> Movie {
        if let movie = sections[section] { return movie }
        let movie = try MP4Reader(try bytes(of: section.url, section.range, section.key)).movie
        sections[section] = movie
        return movie
    }

    private mutating func contents(of key: SegmentKey) throws(ContainerError) -> [UInt8] {
        if let known = keys[key.url] { return known }
        // A server that sends a page instead sends more than a key.
        if let bytes = DataURL.bytes(of: key.url) { return bytes }
        let bytes = try resources.contents(of: key.url, limit: 64 << 10).bytes
        keys[key.url] = bytes
        return bytes
    }
}
