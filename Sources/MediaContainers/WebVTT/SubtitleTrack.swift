/// The subtitles of a presentation in one language, with times on the timeline of the presentation.
public struct SubtitleTrack: Sendable, Hashable {
    /// The language (BCP 47), or nil if unknown.
    public var language: String?
    /// The text before the cues in a file: `WEBVTT`, then styles and regions.
    public var header = "WEBVTT"
    /// The distinct cues, with times in 90 kHz ticks; sorted by time after ``sort()``.
    public private(set) var cues: [WebVTTCue] = []
    private var known: Set<WebVTTCue> = []

    /// Creates a track without cues.
    public init(language: String? = nil) { self.language = language }

    /// Adds cues, except cues that the track already contains, since segments repeat cues.
    public mutating func add(_ more: [WebVTTCue]) {
        cues += more.filter { known.insert($0).inserted }
    }

    /// Sorts the cues by time. Call it after adding all cues.
    public mutating func sort() { cues.sort { ($0.start, $0.end) < ($1.start, $1.end) } }

    /// Returns a WebVTT file of the cues in a range of 90 kHz ticks. The start of the range becomes 0.
    public func text(in shown: Range<Int64>) -> String {
        var text = header + "\n"
        for cue in cues where shown.overlaps(cue.start..<cue.end) {
            if let identifier = cue.identifier { text += "\n\(identifier)" }
            let times = [cue.start, min(cue.end, shown.upperBound)].map {
                WebVTTTime.text($0.subtractingClamped(shown.lowerBound))
            }
            text += "\n\(times.joined(separator: " --> "))\(cue.settings.map { " \($0)" } ?? "")\n\(cue.payload)\n"
        }
        return text
    }

    /// The description of an MP4 track that carries the cues (ISO/IEC 14496-30).
    public var mediaTrack: MediaTrack {
        let format = MediaFormat(
            codec: .webVTT, codecString: "wvtt", configuration: Array(header.utf8), sampleEntry: "wvtt")
        return MediaTrack(id: 0, kind: .text, formats: [format], timescale: 90_000, language: language)
    }

    /// Delivers the cues to a sink as samples of a track, and empty samples for the times without cues. Without cues,
    /// delivers nothing. The range of the presentation in 90 kHz ticks is extended to cues outside of it. Returns the
    /// number of omitted cues; see ``WebVTTSampleEncoder``.
    public func deliver<Sink: SampleSink>(
        to sink: inout Sink, track: Int, along presentation: Range<Int64>
    ) throws(ContainerError) -> Int {
        guard let start = cues.map(\.start).min(), let end = cues.map(\.end).max() else { return 0 }
        let range = min(presentation.lowerBound, start)..<max(presentation.upperBound, end)
        return try WebVTTSampleEncoder.encode(cues, in: range) { (cue) throws(ContainerError) in
            let sample = MediaSample(
                track: track, pts: cue.start, dts: cue.start, duration: cue.duration, size: cue.bytes.count,
                isSync: true)
            try cue.bytes.withBorrowedBytes { (bytes) throws(ContainerError) in try sink.sample(sample, bytes: bytes) }
        }
    }
}
