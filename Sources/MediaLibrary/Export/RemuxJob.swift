internal import Foundation
internal import HLS
internal import MediaContainers

/// A job that remuxes files and streams into one file, without re-encoding.
///
/// ```swift
/// let job = RemuxJob(
///     inputs: [.file("recording.ts")], output: OutputTarget(path: "recording.mp4", overwrites: false))
/// let result = try await job.run(gateway: nil)
/// ```
public struct RemuxJob: Sendable {
    /// The inputs.
    public var inputs: [MediaInput]
    /// The output. Its extension determines the format: .mp4, .m4v, .m4a or .ts.
    public var output: OutputTarget
    /// Whether the inputs are combined to play in parallel. Otherwise, they're joined in sequence.
    public var playsInParallel = false
    /// The base URL of references in a local playlist; nil means the playlist's location.
    public var base: String?
    /// The selection from multivariant playlists.
    public var choice = StreamChoice()
    /// Whether unavailable segments become gaps. Otherwise, the job fails if a segment is unavailable.
    public var leavesGaps = false
    /// The time range to remux.
    public var clip = ClipRange()
    /// The placement of subtitles.
    public var subtitles = SubtitlePlacement.none
    /// The file from whose name the names of subtitle files are derived; nil means the output.
    public var subtitleBaseFile: OutputTarget?
    /// A function that returns whether a stream is available, given the URL of its media playlist.
    public var isAvailable: @Sendable (String) -> Bool = { _ in true }
    /// A function that receives notes for the user, such as the selected variant stream.
    public var onNote: @Sendable (String) -> Void = { _ in }

    /// Creates a job.
    public init(inputs: [MediaInput], output: OutputTarget) {
        self.inputs = inputs
        self.output = output
    }

    /// Writes the output.
    ///
    /// - Parameter gateway: The cache through which URLs are read; nil if all inputs are files.
    /// - Throws: ``MediaJobError``, errors of the gateway, `CancellationError`.
    public func run(gateway: (any MediaGateway)?, progress: ReadProgress? = nil) async throws -> RemuxResult {
        try await MediaJob.run(on: inputs.first?.name ?? "the input") { control in
            let resources = InputResources(of: inputs, gateway: gateway, control: control, progress: progress)
            return try run(resources)
        }
    }

    private func run(_ resources: InputResources) throws -> RemuxResult {
        let kind = try MediaFileKind(path: output.path)
        let found = try inputs.map { try find($0, resources) }
        let file = try OutputFile(output)
        var result = RemuxResult(inputs: inputs.map(\.name), output: output.path)
        var sidecars: [(path: String, file: OutputFile)] = []
        if found.count == 1, kind == .mp4 || kind == .m4v, clip.isWhole, let movie = found[0].movie {
            try rearrange(movie, into: file, &result)
        } else {
            let seconds = playsInParallel ? found.map(\.seconds).max() : found.map(\.seconds).reduce(0, +)
            sidecars = try remux(
                try merged(found.map(\.plan)), duration: seconds ?? 0, items: try found[0].movie?.itemList(), resources,
                kind, into: file, &result)
        }
        try file.moveToTarget()
        for sidecar in sidecars { try sidecar.file.moveToTarget() }
        result.subtitles = sidecars.map(\.path)
        try result.inspect(output.path, resources.control)
        return result
    }

    private struct FoundInput {
        var plan: StreamPlan
        /// The reader of an MP4; nil for other formats, or if there are several inputs.
        var movie: MP4Reader<ByteSlice<InputBytes>>?
        /// The approximate duration in seconds; 0 if unknown.
        var seconds = 0.0
    }

    private func find(_ input: MediaInput, _ resources: InputResources) throws -> FoundInput {
        let url = try resources.url(of: input)
        var choice = choice
        choice.includesSubtitles = subtitles != .none
        let source: MovieSource<ByteSlice<InputBytes>>
        do {
            source = try MovieSource(
                of: url, choice: choice, base: base, resources: resources, isAvailable: isAvailable)
        } catch {
            throw MediaJobError(error, of: input.name)
        }
        switch source {
        case .playlist(let plan):
            if let variant = plan.variant { onNote("the selected variant stream is \(variant)") }
            if plan.isLive { onNote("the stream is live; only the segments that are now in its playlist are included") }
            return FoundInput(plan: plan, seconds: plan.duration)
        case .file(let format, let bytes):
            if inputs.count == 1 { resources.progress?.expect(bytes.length) }
            var found = FoundInput(plan: StreamPlan(inputs: [[StreamPart(url: url)]]))
            if format == .mp4, inputs.count == 1 { found.movie = try MP4Reader(bytes) }
            // For a remote stream, the estimate would require another request, for the end of the file.
            if format == .transportStream, !input.isURL {
                found.seconds = try TransportStreamDuration.estimate(bytes) ?? 0
            }
            return found
        }
    }

    private func merged(_ plans: [StreamPlan]) throws -> StreamPlan {
        if plans.count == 1 { return plans[0] }
        if plans.contains(where: { !$0.subtitles.isEmpty }) {
            onNote("subtitles of several inputs can't be joined, so they're omitted")
        }
        guard !playsInParallel else {
            var plan = StreamPlan(inputs: plans.flatMap(\.inputs))
            // The order of the inputs determines which audio track is first.
            plan.audioLabels = plans.flatMap(\.audioLabels).map { audioLabel in
                audioLabel.map { TrackLabel(language: $0.language, name: $0.name) }
            }
            plan.duration = plans.map(\.duration).max() ?? 0
            return plan
        }
        let count = plans[0].inputs.count
        guard plans.allSatisfy({ $0.inputs.count == count }) else {
            throw MediaJobError(
                .failed, "the inputs consist of different numbers of playlists; remux each input, then join the files")
        }
        return StreamPlan(joining: plans)
    }

    private func rearrange(
        _ movie: MP4Reader<ByteSlice<InputBytes>>, into file: OutputFile, _ result: inout RemuxResult
    ) throws {
        let remux = try ProgressiveRemux(movie)
        for (index, reason) in remux.omittedTracks.sorted(by: { $0.key < $1.key }) {
            result.omit(movie.tracks[index], reason.summary)
        }
        var file = file
        try ByteLayoutView(layout: remux.layout, source: movie.source).write(to: &file)
    }

    private func remux(
        _ plan: StreamPlan, duration seconds: Double, items: ItemList?, _ resources: InputResources,
        _ kind: MediaFileKind, into file: OutputFile, _ result: inout RemuxResult
    ) throws -> [(path: String, file: OutputFile)] {
        let sidecars = try SubtitleSidecars(
            of: subtitles == .sidecar ? plan.subtitles : [], beside: subtitleBaseFile ?? output)
        var remux = StreamRemux(plan, resources: resources)
        remux.embedsSubtitles = subtitles == .embed
        remux.missingParts = leavesGaps ? .leaveGaps : .fail
        let progress = resources.progress
        let onPart = { (done: Int, total: Int) in
            if total > 1 { progress?.update(parts: done, of: total) }
        }
        let shown: Range<Int64>
        if kind == .ts {
            let writer = TransportStreamWriter(file)
            let cut = remux.cut(into: KindFilter(writer, kinds: kind.kinds), from: clip.start, to: clip.end)
            var output = try remux.run(into: cut, onPart: onPart)
            try output.finish()
            try output.output.sink.finish()
            shown = output.shown
        } else {
            shown = try remux.writeMovie(
                to: file, from: clip.start, to: clip.end, kinds: kind.kinds, duration: seconds,
                items: items ?? ItemList(), onPart: onPart
            ).shown
        }
        for track in remux.omittedTracks { result.omit(track, track.format?.name ?? "no format") }
        result.omitted += remux.omittedSubtitles
        result.damage = RemuxResult.Damage(remux.damage)
        result.missing =
            remux.missing.map { RemuxResult.Missing($0) }
            + remux.damaged.map { RemuxResult.Missing($0.part, reason: $0.reason) }
        result.missing.sort { $0.start < $1.start }
        return try sidecars.make(remux.subtitles, in: shown)
    }
}

/// A time range, in seconds from the beginning of the media.
public struct ClipRange: Sendable, Hashable {
    /// The start; nil for the beginning.
    public var start: Double?
    /// The end; nil for the end of the media.
    public var end: Double?

    /// Creates a range; without arguments, all of the media.
    public init(start: Double? = nil, end: Double? = nil) {
        self.start = start
        self.end = end
    }

    /// Whether the range includes all of the media.
    public var isWhole: Bool { (start ?? 0) <= 0 && end == nil }
}

/// The placement of a stream's subtitles in an output.
public enum SubtitlePlacement: String, Sendable, Hashable, CaseIterable {
    /// A WebVTT file for each subtitle rendition, next to the output. Most players support such files.
    case sidecar
    /// Tracks of the output. Few players support them.
    case embed
    /// No subtitles.
    case none
}

/// The kind of an output file, determined by its extension.
public enum MediaFileKind: String, Sendable, CaseIterable {
    /// Video, audio and text.
    case mp4
    /// An MP4 with another extension, for video, audio and text.
    case m4v
    /// Audio.
    case m4a
    /// An MPEG transport stream of video and audio.
    case ts

    /// Creates the kind of a path.
    ///
    /// - Throws: ``MediaJobError`` with `invalidArgument` for other extensions.
    public init(path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let dot = name.lastIndex(of: ".")
        let suffix = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
        guard let kind = MediaFileKind(rawValue: suffix) else {
            let reason = suffix.isEmpty ? "has no extension" : "has an unsupported extension"
            throw MediaJobError(.invalidArgument, "“\(path)” \(reason); use .mp4, .m4v, .m4a or .ts")
        }
        self = kind
    }

    /// Whether the file can contain subtitles.
    public var supportsSubtitles: Bool { kinds.contains(.text) }

    var kinds: Set<MediaKind> {
        switch self {
        case .mp4, .m4v: [.video, .audio, .text]
        case .m4a: [.audio]
        case .ts: [.video, .audio]
        }
    }
}
