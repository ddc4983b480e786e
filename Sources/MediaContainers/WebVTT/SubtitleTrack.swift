/// The subtitles of a film in one language, with times on its timeline.
public struct SubtitleTrack: Sendable, Hashable {
    /// The language (BCP 47), or nil where nothing says.
    public var language: String?
    /// What comes before the cues in a file: `WEBVTT`, then styles and regions.
    public var header = "WEBVTT"
    /// The cues, none of them twice, in ticks of 90 kHz; after ``sort()`` in the order of their times.
    public private(set) var cues: [WebVTTCue] = []
    private var known: Set<WebVTTCue> = []

    /// A track without cues.
    public init(language: String? = nil) { self.language = language }

    /// Takes cues. One that segments repeat is taken once.
    public mutating func add(_ more: [WebVTTCue]) {
        cues += more.filter { known.insert($0).inserted }
    }

    /// Puts the cues in order, once all are there.
    public mutating func sort() { cues.sort { ($0.start, $0.end) < ($1.start, $1.end) } }

    /// A WebVTT file of the cues that are shown in a stretch of time.
    ///
    /// - Parameter shown: The stretch in ticks of 90 kHz; its beginning becomes 0.
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

    /// The track of an MP4 that carries them (ISO/IEC 14496-30).
    public var mediaTrack: MediaTrack {
        let format = MediaFormat(
            codec: .webVTT, codecString: "wvtt", configuration: Array(header.utf8), sampleEntry: "wvtt")
        return MediaTrack(id: 0, kind: .text, formats: [format], timescale: 90_000, language: language)
    }

    /// Gives all cues to a sink, as samples of a track.
    ///
    /// - Parameters:
    ///   - sink: What takes them.
    ///   - track: The track's index.
    ///   - film: When the film begins and ends, in ticks of 90 kHz; samples without cues cover it where none is shown.
    /// - Returns: How many cues are left out, since no more can be shown at once; see ``WebVTTSampleEncoder``.
    /// - Throws: What the sink throws.
    public func deliver<Sink: SampleSink>(
        to sink: inout Sink, track: Int, along film: Range<Int64>
    ) throws(ContainerError) -> Int {
        guard let start = cues.map(\.start).min(), let end = cues.map(\.end).max() else { return 0 }
        let range = min(film.lowerBound, start)..<max(film.upperBound, end)
        return try WebVTTSampleEncoder.encode(cues, in: range) { (cue) throws(ContainerError) in
            let sample = MediaSample(
                track: track, pts: cue.start, dts: cue.start, duration: cue.duration, size: cue.bytes.count,
                isSync: true)
            let result = cue.bytes.withUnsafeBytes { bytes in
                Result { () throws(ContainerError) in try sink.sample(sample, bytes: bytes) }
            }
            try result.get()
        }
    }
}
