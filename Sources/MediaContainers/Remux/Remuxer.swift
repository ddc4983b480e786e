/// Turns media segments of MPEG-TS, packed audio and MP4 into one continuous sequence of samples as MP4 stores them, in
/// one pass.
///
/// The output gets samples on one line of time that begins with the first segment's clock: 33-bit wraps are undone,
/// stretches of unrelated clocks are joined end to end, what is missing stays a gap. The offset between sound and
/// picture is that of the segments. H.264 and HEVC come with lengths before their NAL units, AAC without headers.
/// A track whose parameter sets change gets a second format; one that changes its codec is an error that says where.
///
/// Several inputs (a playlist of pictures and one of sound) are remuxed together by appending their segments in turns.
/// Memory is bounded: at most the longest frame of each track, and 8 MiB where stretches join.
public struct Remuxer<Output: SampleSink> {
    /// Bytes that are read from a source at a time.
    private static var pieceLength: Int { 256 << 10 }
    /// The longest time between files of one recording, or for which they overlap, in ticks of 90 kHz.
    private static var longestPause: Int64 { 90_000 }

    private var core: RemuxCore<Output>
    private var inputs: [RemuxInput]

    /// What gets the samples.
    public var output: Output { core.output.sink }

    /// The tracks that the output was told of, in their order.
    public var tracks: [MediaTrack] { core.orderedTracks }

    /// The stretches of the inputs' clocks in the output, in their order; whole after ``finish()``.
    public var stretches: [JoinedStretch] { core.stretches }

    /// The tracks of the inputs that aren't carried over: timed metadata, splice information, unknown codings.
    public var leftOut: [MediaTrack] { core.leftOut }

    /// Damage of the inputs that was gone past.
    public var damage: RemuxDamage { core.damage }

    /// Whether the output threw.
    public var hasOutputFailed: Bool { core.output.hasFailed }

    /// The codecs that were carried over of each input, by kind.
    public var codecs: [[MediaKind: Set<Codec>]] { core.codecs }

    /// Creates a remuxer.
    ///
    /// - Parameters:
    ///   - output: What gets the tracks and the samples.
    ///   - inputs: How many playlists or files are remuxed together, at least 1.
    ///   - longestGap: Seconds by which times may go forward without an announced discontinuity and still be a gap of
    ///     the same clock.
    ///   - sounds: What is said of each input's sound; nil, or none, where nothing is. The default comes before all other
    ///     sound, and where there is one, it alone is enabled.
    ///   - codecs: The codecs carried over of each input, by kind; a kind without an entry takes that of its first
    ///     samples. They matter for segments that are appended with `toleratesDamage`.
    public init(
        into output: Output, inputs: Int = 1, longestGap: Int = 600, sounds: [TrackLabel?] = [],
        codecs: [[MediaKind: Set<Codec>]] = []
    ) {
        self.inputs = (0..<max(1, inputs)).map { index in
            RemuxInput(index: index, sound: sounds.indices.contains(index) ? sounds[index] : nil)
        }
        for (input, codecs) in zip(self.inputs, codecs) { input.codecs = codecs }
        core = RemuxCore(
            output: output, inputs: self.inputs, longestGap: Int64(clamping: longestGap.clamped(to: 1 << 30)) * 90_000
        )
    }

    /// Appends a segment, or a whole file.
    ///
    /// - Parameters:
    ///   - segment: Its bytes.
    ///   - initialization: For fragments of MP4 without their index: the movie of the media initialization section.
    ///   - input: Which of the inputs it belongs to, from 0.
    ///   - join: How it goes on from the segment before of the same input.
    ///   - discontinuities: How many come before it in its input (RFC 8216bis, 4.4.3.3); nil counts them by `join`.
    ///     Inputs go on together behind the same number of them.
    ///   - missing: Seconds of its input that aren't there between the segment before and it. Where clocks don't tell,
    ///     they stay a gap.
    ///   - toleratesDamage: Whether samples that can't be carried over are left out and reported, instead of ending the
    ///     remux: of a damaged, scrambled or foreign segment, or of another codec than the track's before.
    /// - Returns: With `toleratesDamage`, the damage that left samples out; nil where there is none.
    /// - Throws: ``ContainerError``: `inputOutput` of the source; what the output throws; without `toleratesDamage`,
    ///   `notThisFormat` for other formats, `encrypted`, `unsupported` where the codec changes, `malformed`.
    @discardableResult
    public mutating func append(
        _ segment: some ByteSource, initialization: Movie? = nil, input: Int = 0, join: SegmentJoin = .continuous,
        discontinuities: Int? = nil, missing: Double = 0, toleratesDamage: Bool = false
    ) throws(ContainerError) -> SegmentDamage? {
        guard inputs.indices.contains(input) else {
            throw ContainerError(.malformed, "input \(input) of \(inputs.count)")
        }
        core.input = inputs[input]
        core.input.beginSegment(isTolerant: toleratesDamage)
        do throws(ContainerError) {
            try take(segment, initialization, join, discontinuities: discontinuities, missing: missing)
        } catch {
            guard toleratesDamage, !core.output.hasFailed, error.code != .inputOutput else { throw error }
            // A half-read segment leaves nothing behind that the next one could be taken for.
            if core.input.isReading { changeDemuxer() }
            return SegmentDamage(error: error, isCutShort: true, isEmpty: !core.input.hasBegun(nil))
        }
        return core.input.obstacle.map {
            SegmentDamage(error: $0, isCutShort: false, isEmpty: !core.input.hasBegun(nil))
        }
    }

    private mutating func take(
        _ segment: some ByteSource, _ initialization: Movie?, _ join: SegmentJoin, discontinuities: Int?,
        missing: Double
    ) throws(ContainerError) {
        let front = try segment.bytes(
            0..<min(segment.length, Int64(SegmentFormat.probeLength)), limit: SegmentFormat.probeLength)
        let format = front.withUnsafeBytes {
            SegmentFormat.recognise($0, isWhole: Int64(front.count) == segment.length)
        }
        guard let format else { throw Self.foreign(front) }
        var join = join
        if join == .file {
            join = try goesOn(format, segment) ? .continuous : .discontinuity
        } else if let discontinuities, discontinuities > core.input.discontinuities {
            // The segment that announced it isn't there.
            join = .discontinuity
        }
        try end(before: format, join)
        core.input.count(join, upTo: discontinuities)
        let sound =
            format == .packedAudio
            ? front.withUnsafeBytes { PackedAudioFormat.recognise($0, isWhole: Int64(front.count) == segment.length) }
            : nil
        try begin(format, sound, join, missing: max(0, Timescale.ticks(of: missing, in: 90_000)))
        core.input.isReading = true
        switch format {
        case .mp4: try deliver(segment, initialization)
        case .transportStream, .packedAudio: try push(segment)
        }
        core.input.isReading = false
    }

    /// Ends the last segment and hands out what is held.
    ///
    /// - Returns: The output.
    /// - Throws: What the output throws.
    public mutating func finish() throws(ContainerError) -> Output {
        for input in inputs {
            core.input = input
            try endDemuxers(of: input)
        }
        try core.finish()
        return core.output.sink
    }

    /// Says what a segment is that can't be remuxed.
    private static func foreign(_ front: [UInt8]) -> ContainerError {
        let text = String(decoding: front.prefix(16), as: UTF8.self)
        if text.trimmingPrefix("\u{FEFF}").hasPrefix("WEBVTT") {
            return ContainerError(
                .notThisFormat, "a segment of subtitles (WebVTT) alone", at: 0,
                advice: "Give the multivariant playlist, so that they go with its film")
        }
        if front.withUnsafeBytes({ SegmentFormat.isText($0) }) {
            return ContainerError(
                .notThisFormat, "a segment that is text, not media", at: 0,
                advice: "Look at what the server sent in its place")
        }
        return ContainerError(
            .notThisFormat, "a segment that is neither MPEG-TS nor MP4 nor packed audio", at: 0,
            advice: "Encrypted segments are decrypted first")
    }

    /// Whether a file is on the clock of what came before of the input at work, and follows it.
    private mutating func goesOn(_ format: SegmentFormat, _ file: some ByteSource) throws(ContainerError) -> Bool {
        guard let end = core.lastEnd else { return true }
        guard format == .transportStream, core.input.transportStream != nil,
            let start = try ClockProbe.start(of: file),
            abs(TimestampUnwrapper.distance(from: end, to: start)) < Self.longestPause
        else { return false }
        // The same streams may have other numbers there.
        core.release()
        return true
    }

    private mutating func end(before format: SegmentFormat, _ join: SegmentJoin) throws(ContainerError) {
        guard let demuxer = core.input.transportStream else { return }
        guard format == .transportStream else { return try endDemuxers(of: core.input) }
        switch join {
        case .continuous, .file: try demuxer.endSegment(into: &core)
        case .gap: try demuxer.interrupt(into: &core)
        case .discontinuity: try demuxer.discontinue(into: &core)
        }
    }

    private mutating func begin(
        _ format: SegmentFormat, _ sound: PackedAudioFormat?, _ join: SegmentJoin, missing: Int64
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
            // Behind a segment that couldn't be read the clock goes on.
            input.transportStream = TransportStreamDemuxer(after: join == .discontinuity ? nil : input.lastTime)
        case .packedAudio where input.packedAudio == nil || sound.map { $0 != input.packedAudio?.format } == true:
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

    /// The tracks of the demuxer before are no more: others may go on with their outputs.
    private mutating func changeDemuxer() {
        core.release()
        core.input.transportStream = nil
        core.input.packedAudio = nil
        core.input.forgetTracks()
    }

    private mutating func endDemuxers(of input: RemuxInput) throws(ContainerError) {
        try input.transportStream?.interrupt(into: &core)
    }

    private mutating func deliver(
        _ segment: some ByteSource, _ initialization: Movie?
    ) throws(ContainerError) {
        // A segment may bring its own index, and then needs no other.
        let reader: MP4Reader =
            if let initialization { try MP4Reader(segment, initialization: initialization) } else {
                try MP4Reader(segment)
            }
        try reader.deliver(to: &core, decodingShifts: &core.input.decodingShifts)
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

/// How a segment goes on from the one before.
public enum SegmentJoin: Sendable, Hashable {
    /// On the same clock, with nothing missing.
    case continuous
    /// On the same clock; segments before it are missing (EXT-X-GAP), and stay a gap of their length.
    case gap
    /// Its clock, its tracks or their formats may be others (EXT-X-DISCONTINUITY): it begins where the one before ends.
    case discontinuity
    /// It is a file of its own: on the same clock where its times go on from those before (a recording cut into files),
    /// else as after a discontinuity.
    case file
}
