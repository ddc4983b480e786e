import HLS
import MediaContainers
import MediaLibrary

/// Makes one file of files and streams.
struct RemuxJob: Sendable {
    /// What is read.
    var inputs: [InputArgument]
    /// Whether the inputs are played at once, instead of one after the other.
    var isTogether = false
    /// What a playlist's references resolve against.
    var base: String?
    /// What is taken of multivariant playlists.
    var choice = StreamChoice()
    /// Whether segments that can't be had stay gaps.
    var leavesGaps = false
    /// Where the file is put.
    var target: OutputTarget
    /// What of it is taken.
    var stretch = Stretch()
    /// Where subtitles are put.
    var subtitles = SubtitleOptions.Place.none
    /// What subtitles stand beside; nil is the target.
    var film: OutputTarget?
    /// Whether a stream can be read, by the URL of its media playlist.
    var isAvailable: @Sendable (String) -> Bool = { _ in true }

    /// Makes it.
    ///
    /// - Throws: ``CommandFailure`` and `ContainerError`.
    func run(_ opening: InputOpening) throws -> RemuxResult {
        let kind = try MediaFileKind(path: target.path)
        let resources = InputResources(opening: opening, readsFiles: !inputs.allSatisfy(\.isURL))
        defer { opening.progress?.finish() }
        let plans = try inputs.map { try plan(of: $0, resources) }
        let file = try OutputFile(target)
        var result = RemuxResult(inputs: inputs.map(\.name), output: target.path)
        var sidecars: [(path: String, file: OutputFile)] = []
        if plans.count == 1, kind == .mp4 || kind == .m4v, stretch.isWhole, let source = plans[0].movie {
            try rearrange(source, into: file, &result)
        } else {
            let seconds = isTogether ? plans.map(\.seconds).max() : plans.map(\.seconds).reduce(0, +)
            sidecars = try remux(try merged(plans), lasting: seconds ?? 0, resources, kind, into: file, &result)
        }
        try file.place()
        for sidecar in sidecars { try sidecar.file.place() }
        result.subtitles = sidecars.map(\.path)
        try result.look(at: target.path, opening.control)
        return result
    }

    /// An input as it was found.
    private struct FoundInput {
        var plan: StreamPlan
        /// The file itself, where it's an MP4 with an index of its own.
        var movie: MP4Reader<ByteSlice<InputBytes>>?
        /// About how long it lasts; 0 where nothing says.
        var seconds = 0.0
    }

    private func plan(of input: InputArgument, _ resources: InputResources) throws -> FoundInput {
        let url = try resources.url(of: input)
        var choice = choice
        choice.takesSubtitles = subtitles != .none
        let source: MovieSource<ByteSlice<InputBytes>>
        do {
            source = try MovieSource(
                of: url, choice: choice, base: base, resources: resources, isAvailable: isAvailable)
        } catch {
            throw CommandFailure(error, of: input.name)
        }
        switch source {
        case .playlist(let plan):
            if let variant = plan.variant { note("takes the variant stream of \(variant)") }
            if plan.isLive { note("the stream goes on; what its playlist names now is taken") }
            return FoundInput(plan: plan, seconds: plan.duration)
        case .file(let format, let bytes):
            return try found(format, bytes, at: url, isLocal: !input.isURL, resources)
        }
    }

    private func found(
        _ format: SegmentFormat, _ source: ByteSlice<InputBytes>, at url: String, isLocal: Bool,
        _ resources: InputResources
    ) throws -> FoundInput {
        if inputs.count == 1 { resources.opening.progress?.expect(source.length) }
        var found = FoundInput(plan: StreamPlan(inputs: [[StreamPart(url: url)]]))
        if format == .mp4, inputs.count == 1 { found.movie = try MP4Reader(source) }
        // From afar it isn't worth a request for the stream's end.
        if format == .transportStream, isLocal {
            found.seconds = try TransportStreamDuration.estimate(source) ?? 0
        }
        return found
    }

    /// The inputs beside or behind each other.
    private func merged(_ found: [FoundInput]) throws -> StreamPlan {
        let plans = found.map(\.plan)
        if plans.count == 1 { return plans[0] }
        if plans.contains(where: { !$0.subtitles.isEmpty }) { note("subtitles of several inputs aren't joined") }
        guard !isTogether else {
            var plan = StreamPlan(inputs: plans.flatMap(\.inputs))
            // Whoever names the inputs says which sound comes first.
            plan.sounds = plans.flatMap(\.sounds).map { sound in
                sound.map { TrackLabel(language: $0.language, name: $0.name) }
            }
            plan.duration = plans.map(\.duration).max() ?? 0
            return plan
        }
        let count = plans[0].inputs.count
        guard plans.allSatisfy({ $0.inputs.count == count }) else {
            throw CommandFailure(
                .failed, "the inputs differ in how many playlists they play at once; remux each, then join the files")
        }
        return StreamPlan(joining: plans)
    }

    private func rearrange(
        _ movie: MP4Reader<ByteSlice<InputBytes>>, into file: OutputFile, _ result: inout RemuxResult
    ) throws {
        let remux = try ProgressiveRemux(movie)
        for (index, reason) in remux.leftOut.sorted(by: { $0.key < $1.key }) {
            result.leaveOut(movie.tracks[index], reason.what)
        }
        var file = file
        try ByteLayoutView(layout: remux.layout, source: movie.source).write(to: &file)
    }

    private func remux(
        _ plan: StreamPlan, lasting seconds: Double, _ resources: InputResources, _ kind: MediaFileKind,
        into file: OutputFile, _ result: inout RemuxResult
    ) throws -> [(path: String, file: OutputFile)] {
        let sidecars = try SubtitleSidecars(
            of: subtitles == .sidecar ? plan.subtitles : [], beside: film ?? target)
        var remux = StreamRemux(plan, resources: resources)
        remux.embedsSubtitles = subtitles == .embed
        remux.missingParts = leavesGaps ? .leaveGaps : .fail
        let progress = resources.opening.progress
        let onPart = { (done: Int, all: Int) in
            if all > 1 { progress?.note(done, of: all) }
        }
        let shown: Range<Int64>
        if kind == .ts {
            let writer = TransportStreamWriter(file)
            let cut = remux.cut(into: KindFilter(writer, kinds: kind.kinds), from: stretch.from, to: stretch.to)
            var output = try remux.run(into: cut, onPart: onPart)
            try output.finish()
            try output.output.sink.finish()
            shown = output.shown
        } else {
            shown = try remux.writeMovie(
                to: file, from: stretch.from, to: stretch.to, kinds: kind.kinds, lasting: seconds, onPart: onPart
            ).shown
        }
        for track in remux.leftOut { result.leaveOut(track, track.format?.name ?? "no format") }
        result.leftOut += remux.leftOutSubtitles
        result.damage = RemuxResult.Damage(remux.damage)
        result.missing =
            remux.missing.map { RemuxResult.Missing($0) }
            + remux.damaged.map { RemuxResult.Missing($0.part, reason: $0.reason) }
        result.missing.sort { $0.start < $1.start }
        return try sidecars.make(remux.subtitles, in: shown)
    }

    private func note(_ text: String) { StandardStreams.printError("mediacache: note: \(Table.printable(text))") }
}
