/// A sink that writes the samples of one track as an initialization section and a fragment, in the form that a
/// `SourceBuffer` accepts (W3C ISO BMFF Byte Stream Format).
///
/// There is no edit list. The times of the samples are those of the input plus ``timeOffset``, so that those before
/// zero can be represented too. If the format changes, another initialization section and fragment follow, because
/// browsers support one sample description per initialization section. The samples are in memory until ``finish()``.
public struct FragmentSink: SampleSink {
    /// The number of seconds added to all times. Edit lists and the unwrapped clock of a transport stream cause times
    /// before zero; times before `-timeOffset` can't be written.
    public static let timeOffset = 100
    /// The maximum number of bytes of samples.
    private static let maximumLength = 32 << 20
    /// The assumed rate of a single frame without a duration, in frames per second.
    private static let frameRate = 25.0

    private let kind: MediaKind
    private let ordinal: Int
    private var tracks: [MediaTrack] = []
    private var selected: Int?
    /// The samples of the current format and their bytes.
    private var samples: [MediaSample] = []
    private var content: [UInt8] = []
    private var fragment = MediaFragment()

    /// Creates a sink for a track of a kind. `ordinal` counts the tracks of that kind from 0.
    public init(kind: MediaKind, ordinal: Int = 0) {
        self.kind = kind
        self.ordinal = ordinal
    }

    /// Receives the list of tracks; see ``SampleSink/tracks(_:)``.
    public mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks = tracks
        let candidates = tracks.indices.filter { tracks[$0].kind == kind }
        selected = candidates.indices.contains(ordinal) ? candidates[ordinal] : nil
    }

    /// Receives a sample. Throws `limitExceeded` when the samples exceed 32 MiB, and the errors of
    /// ``FragmentedMovieWriter``.
    public mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard sample.track == selected else { return }
        if let last = samples.last, last.formatIndex != sample.formatIndex { try write(until: sample.dts) }
        guard fragment.bytes.count + content.count + bytes.count <= Self.maximumLength else {
            throw ContainerError(.limitExceeded, "the segment's samples exceed \(Self.maximumLength >> 20) MiB")
        }
        samples.append(sample)
        content.append(contentsOf: bytes)
    }

    /// Returns the fragment, or nil if the input has no samples of the track. Throws the errors of
    /// ``FragmentedMovieWriter``.
    public mutating func finish() throws(ContainerError) -> MediaFragment? {
        try write(until: nil)
        return fragment.formats.isEmpty ? nil : fragment
    }

    /// Writes the samples of the current format. `end` is the decoding time of the sample that follows, or nil.
    private mutating func write(until end: Int64?) throws(ContainerError) {
        guard let selected, let last = samples.last else { return }
        var track = tracks[selected]
        track.formats = [track.formats[last.formatIndex]]
        track.duration = nil
        samples[samples.count - 1].duration = duration(of: last, in: track, until: end)
        for sample in samples where !sample.isHidden { fragment.extend(sample, timescale: track.timescale) }
        let offset = Int64(Self.timeOffset) * Int64(track.timescale)
        for index in samples.indices {
            samples[index].track = 0
            samples[index].formatIndex = 0
            samples[index].dts += offset
            samples[index].pts += offset
        }
        var writer = FragmentedMovieWriter()
        _ = writer.add(track)
        fragment.formats += track.formats
        fragment.bytes += try writer.initializationSection()
        fragment.bytes += try writer.fragmentHead(samples)
        fragment.bytes += content
        samples = []
        content = []
    }

    /// Returns the duration of the last sample of a format: up to `end`, otherwise its own. Without either, the sample
    /// lasts as long as the one before it.
    private func duration(of last: MediaSample, in track: MediaTrack, until end: Int64?) -> Int64 {
        if let end, end > last.dts { return end - last.dts }
        if last.duration > 0 { return last.duration }
        if let before = samples.dropLast().last, last.dts > before.dts { return last.dts - before.dts }
        let rate = track.frameRate.map { $0 > 0 ? $0 : Self.frameRate } ?? Self.frameRate
        return max(1, Int64(Double(track.timescale) / rate))
    }
}

/// One track of a media segment as fragmented MP4.
public struct MediaFragment: Sendable, Hashable {
    /// The initialization section and the fragment; several of both if the format changes.
    public fileprivate(set) var bytes: [UInt8] = []
    /// The formats in the order of the initialization sections.
    public fileprivate(set) var formats: [MediaFormat] = []
    /// The range of presentation in seconds, on the clock of the input; nil if all samples are hidden.
    public private(set) var shown: ClosedRange<Double>?

    fileprivate mutating func extend(_ sample: MediaSample, timescale: Int32) {
        let start = Double(sample.pts) / Double(timescale)
        let end = Double(sample.pts.addingClamped(max(0, sample.duration))) / Double(timescale)
        shown = min(shown?.lowerBound ?? start, start)...max(shown?.upperBound ?? end, end)
    }
}
