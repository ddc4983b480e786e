/// A remuxer that turns media segments of MPEG-TS, packed audio and MP4 into one continuous sequence of samples in the
/// form stored in MP4, in one pass.
///
/// The output receives samples on one timeline that begins with the clock of the first segment: 33-bit timestamps are
/// unwrapped, periods of unrelated clocks are joined end to end, and missing media remains a gap. Audio and video
/// keep the offset that they have in the segments. H.264 and HEVC samples have length-prefixed NAL units, and AAC
/// samples have no headers. If the parameter sets of a track change, the track gets another format. A change of codec
/// is an error that includes its time.
///
/// Several inputs, such as a video playlist and an audio playlist, are remuxed together by appending their segments
/// alternately. Memory is bounded by the longest frame of each track, by 8 MiB where periods join, and by 8 MiB for
/// each track with a jump of its timestamps.
public struct Remuxer<Output: SampleSink> {
    private static var pieceLength: Int { 256 << 10 }
    /// The longest gap or overlap between consecutive files of one recording, in 90 kHz ticks.
    private static var maximumPause: Int64 { 90_000 }

    private var core: RemuxCore<Output>
    private var inputs: [RemuxInput]

    /// The receiver of the samples.
    public var output: Output { core.output.sink }

    /// The tracks of the output in order.
    public var tracks: [MediaTrack] { core.orderedTracks }

    /// The periods of the inputs' clocks in the output, in order; complete after ``finish()``.
    public var clockPeriods: [JoinedClockPeriod] { core.timeline.joined }

    /// The input tracks that aren't carried over: timed metadata, splice information and unknown codings.
    public var omittedTracks: [MediaTrack] { core.omittedTracks }

    /// The damage in the inputs that was skipped or repaired.
    public var damage: RemuxDamage { core.damage }

    /// Returns the unannounced gaps in the last segment of an input if it was appended with `toleratesDamage`. A gap
    /// lasts at least 0.3 s, is far longer than the usual distance between samples, and contains no audio or video
    /// sample.
    public func unannouncedGaps(of input: Int) -> [UnannouncedGap] { inputs[input].gapDetector.gaps }

    /// Whether the output has thrown an error.
    public var hasOutputFailed: Bool { core.output.hasFailed }

    /// The codecs carried over from each input, by kind.
    public var codecs: [[MediaKind: Set<Codec>]] { core.codecs }

    /// Creates a remuxer.
    ///
    /// - Parameters:
    ///   - inputs: The number of playlists or files to remux together, at least 1.
    ///   - maximumGap: The longest forward step of the times, in seconds, that is treated as a gap on the same clock if
    ///     no discontinuity is announced.
    ///   - audioLabels: A description of each input's audio, or nil. The default comes before all other audio and is
    ///     the only enabled audio track.
    ///   - codecs: The codecs to carry over from each input, by kind. A kind without an entry uses the codec of its
    ///     first samples. Applies only to segments appended with `toleratesDamage`.
    ///   - keepsLeadingFrames: Whether video frames are carried over although no keyframe precedes them, because the
    ///     frames before them are elsewhere.
    public init(
        into output: Output, inputs: Int = 1, maximumGap: Int = 600, audioLabels: [TrackLabel?] = [],
        codecs: [[MediaKind: Set<Codec>]] = [], keepsLeadingFrames: Bool = false
    ) {
        self.inputs = (0..<max(1, inputs)).map { index in
            RemuxInput(index: index, audioLabel: audioLabels.indices.contains(index) ? audioLabels[index] : nil)
        }
        for (input, codecs) in zip(self.inputs, codecs) { input.codecs = codecs }
        core = RemuxCore(
            output: output, inputs: self.inputs, maximumGap: Int64(min(maximumGap, 1 << 30)) * 90_000,
            keepsLeadingFrames: keepsLeadingFrames)
    }

    /// Appends a segment or a whole file.
    ///
    /// - Parameters:
    ///   - initialization: The movie of the media initialization section, for MP4 fragments.
    ///   - join: The relation of the segment to the previous segment of the same input.
    ///   - discontinuities: The number of discontinuities before the segment in its input (RFC 8216bis, 4.4.3.3), or
    ///     nil to count them from `join`. Inputs with the same number continue together.
    ///   - missing: The duration in seconds of the media missing between the previous segment and this one. It remains
    ///     as a gap if the clocks don't reveal it.
    ///   - toleratesDamage: Whether to omit and report samples that can't be carried over, instead of throwing. Reasons
    ///     include a damaged or scrambled segment, an unsupported format, or a change of codec.
    /// - Returns: With `toleratesDamage`, the damage that caused samples to be omitted, or nil.
    /// - Throws: ``ContainerError`` with `malformed` when `input` is out of range, with `inputOutput` for the source,
    ///   and the errors of the output. Without `toleratesDamage`, also the errors of the segment, such as
    ///   `notThisFormat` for other formats, `encrypted`, `unsupported` for a change of codec, `malformed` and
    ///   `truncated`.
    @discardableResult
    public mutating func append(
        _ segment: some ByteSource, initialization: Movie? = nil, input: Int = 0, join: SegmentJoin = .continuous,
        discontinuities: Int? = nil, missing: Double = 0, toleratesDamage: Bool = false
    ) throws(ContainerError) -> SegmentDamage? {
        guard inputs.indices.contains(input) else {
            throw ContainerError(.malformed, "input index \(input) is out of range: there are \(inputs.count) inputs")
        }
        core.input = inputs[input]
        core.input.beginSegment(isTolerant: toleratesDamage)
        do throws(ContainerError) {
            try read(segment, initialization, join, discontinuities: discontinuities, missing: missing)
        } catch {
            guard toleratesDamage, !core.output.hasFailed, error.code != .inputOutput else { throw error }
            // Data of a partially read segment must not be mistaken for the start of the next one.
            if core.input.isReading { changeDemuxer() }
            return SegmentDamage(error: error, isTruncated: true, isEmpty: !core.input.hasBegun(nil))
        }
        return core.input.firstError.map {
            SegmentDamage(error: $0, isTruncated: false, isEmpty: !core.input.hasBegun(nil))
        }
    }

    private mutating func read(
        _ segment: some ByteSource, _ initialization: Movie?, _ join: SegmentJoin, discontinuities: Int?,
        missing: Double
    ) throws(ContainerError) {
        let front = try segment.bytes(
            0..<min(segment.length, Int64(SegmentFormat.probeLength)), limit: SegmentFormat.probeLength)
        let format = front.withUnsafeBytes {
            SegmentFormat.recognize($0, isWhole: Int64(front.count) == segment.length)
        }
        guard let format else { throw Self.formatError(front) }
        var join = join
        if join == .file {
            join = try continuesClock(format, segment) ? .continuous : .discontinuity
        } else if let discontinuities, discontinuities > core.input.discontinuities {
            // The segment that announced the discontinuity is missing.
            join = .discontinuity
        }
        try end(before: format, join)
        core.input.gapDetector.beginSegment()
        if join != .continuous || missing > 0 { core.input.gapDetector.beginClock() }
        core.input.count(join, upTo: discontinuities)
        let audioFormat =
            format == .packedAudio
            ? front.withUnsafeBytes { PackedAudioFormat.recognize($0, isWhole: Int64(front.count) == segment.length) }
            : nil
        try begin(format, audioFormat, join, missing: max(0, Timescale.ticks(of: missing, in: 90_000)))
        core.input.isReading = true
        switch format {
        case .mp4:
            // Without an initialization section, the segment needs its own index.
            try MP4Reader(segment, initialization: initialization)
                .deliver(to: &core, decodingShifts: &core.input.decodingShifts)
        case .transportStream, .packedAudio: try push(segment)
        }
        core.input.isReading = false
    }

    /// Ends the last segment, delivers the held samples and returns the output. Throws the errors of the output.
    public mutating func finish() throws(ContainerError) -> Output {
        for input in inputs {
            core.input = input
            try input.transportStream?.interrupt(into: &core)
        }
        try core.finish()
        return core.output.sink
    }

    private static func formatError(_ front: [UInt8]) -> ContainerError {
        func error(_ summary: String, _ advice: String) -> ContainerError {
            ContainerError(.notThisFormat, summary, at: 0, advice: advice)
        }
        guard !front.isEmpty else { return error("the segment is empty", "Check the server's response") }
        if String(decoding: front.prefix(16), as: UTF8.self).trimmingPrefix("\u{FEFF}").hasPrefix("WEBVTT") {
            return error(
                "the segment contains only subtitles (WebVTT)",
                "Pass the multivariant playlist to remux them with audio and video")
        }
        if front.withUnsafeBytes({ SegmentFormat.isText($0) }) {
            return error("the segment is text, not media", "Check the server's response")
        }
        return error("the segment is neither MPEG-TS nor MP4 nor packed audio", "Decrypt encrypted segments first")
    }

    /// Returns whether a file continues the clock of the current input and follows its end.
    private mutating func continuesClock(
        _ format: SegmentFormat, _ file: some ByteSource
    ) throws(ContainerError) -> Bool {
        guard let end = core.lastEnd else { return true }
        guard format == .transportStream, core.input.transportStream != nil,
            let start = try ClockProbe.start(of: file),
            abs(TimestampUnwrapper.distance(from: end, to: start)) < Self.maximumPause
        else { return false }
        // The streams may have other PIDs in this file.
        core.release()
        return true
    }

    private mutating func end(before format: SegmentFormat, _ join: SegmentJoin) throws(ContainerError) {
        guard let demuxer = core.input.transportStream else { return }
        guard format == .transportStream else { return try demuxer.interrupt(into: &core) }
        switch join {
        case .continuous, .file: try demuxer.endSegment(into: &core)
        case .gap: try demuxer.interrupt(into: &core)
        case .discontinuity: try demuxer.discontinue(into: &core)
        }
    }

    private mutating func begin(
        _ format: SegmentFormat, _ audioFormat: PackedAudioFormat?, _ join: SegmentJoin, missing: Int64
    ) throws(ContainerError) {
        let input = core.input
        try core.join(join, missing: missing)
        if join == .discontinuity {
            input.resetClock()
            input.decodingShifts = []
        }
        if join == .gap { input.nextOrigin = input.nextOrigin.addingClamped(missing) }
        switch format {
        case .transportStream where input.transportStream == nil:
            changeDemuxer()
            // The clock continues after a segment that couldn't be read.
            input.transportStream = TransportStreamDemuxer(after: join == .discontinuity ? nil : input.lastTime)
        case .packedAudio where input.packedAudio == nil || audioFormat.map { $0 != input.packedAudio?.format } == true:
            changeDemuxer()
            input.packedAudio = PackedAudioDemuxer()
        case .packedAudio:
            input.packedAudio?.beginSegment()
            input.hasOrigin = false
        case .mp4:
            changeDemuxer()
        default: break
        }
    }

    /// Removes the demuxer and its tracks. Other tracks may then feed their outputs.
    private mutating func changeDemuxer() {
        core.release()
        core.input.transportStream = nil
        core.input.packedAudio = nil
        core.input.forgetTracks()
    }

    private mutating func push(_ segment: some ByteSource) throws(ContainerError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
        defer { buffer.deallocate() }
        let input = core.input
        var offset: Int64 = 0
        while offset < segment.length {
            let count = try segment.read(at: offset, into: buffer)
            guard count > 0 else { break }
            offset += Int64(count)
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let demuxer = input.transportStream {
                try demuxer.push(bytes, into: &core)
            } else if let demuxer = input.packedAudio {
                try demuxer.push(bytes, into: &core)
            }
        }
        try input.packedAudio?.finish(into: &core)
    }
}

/// The relation of a segment to the previous segment of the same input.
public enum SegmentJoin: Sendable, Hashable {
    /// The clock continues, and nothing is missing.
    case continuous
    /// The clock continues, but segments are missing before this one (EXT-X-GAP). Their duration remains as a gap.
    case gap
    /// The clock, tracks or formats may differ (EXT-X-DISCONTINUITY). The segment begins where the previous one ends.
    case discontinuity
    /// The segment is a separate file. The clock continues if its times follow the previous ones, as in a recording
    /// that consists of several files; otherwise, the file is treated like a discontinuity.
    case file
}
