/// Reads packed audio (RFC 8216, 3.4): AAC in ADTS, AC-3, Enhanced AC-3 or MPEG audio behind an ID3 tag, pushed in
/// buffers of any size.
///
/// Track 0 is the sound; its timescale is the sample rate, and its times count from 0. ``startTimestamp`` is the time
/// stamp of its first sample that the tag tells, on the clock of the stream's other segments. Track 1 appears with the
/// first ID3 tag, which is its sample. Damage never throws, it is reported and passed over.
public final class PackedAudioDemuxer {
    /// A tag longer than this (with a large picture) is passed over without being read.
    private static let longestTag = 16 << 20

    /// The format, or nil before enough bytes came to recognise it.
    public private(set) var format: PackedAudioFormat?
    /// The 33-bit time stamp in ticks of 90 kHz of the first sample of the segment: nil where no tag tells it.
    public private(set) var startTimestamp: Int64?
    /// The picture of the first tag that has one.
    public private(set) var picture: ID3Picture?
    /// The tracks found so far.
    public var tracks: [MediaTrack] { trackList.tracks }

    private let trackList = TrackList()
    private var buffer = PayloadBuffer()
    private var parser: FrameParser?
    /// Whether no frame has come: the first may be one of information.
    private var isAtFront = true
    private var formatVersion = 0
    private var formatIndex = 0
    /// In samples at the sound's rate.
    private var time: Int64 = 0
    private var rate: Int64 = 0
    private var tagTrack: Int?
    /// Bytes of a tag that is too long, still to come.
    private var unread = 0

    /// Creates a demuxer.
    ///
    /// - Parameter format: The format where it is known, else nil to recognise it.
    public init(format: PackedAudioFormat? = nil) {
        self.format = format
    }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: Borrowed for the call.
    ///   - sink: What gets tracks, samples and diagnostics.
    /// - Throws: What the sink throws.
    public func push<Sink: SampleSink>(
        _ bytes: UnsafeRawBufferPointer, into sink: inout Sink
    ) throws(ContainerError) {
        var start = 0
        while start < bytes.count, let base = bytes.baseAddress {
            let passed = min(unread, bytes.count - start)
            unread -= passed
            start += passed
            let taken = min(1 << 18, bytes.count - start)
            buffer.append(base + start, count: taken)
            start += taken
            try drain(isLast: false, into: &sink)
        }
    }

    /// Ends the segment or file: hands out the frames that only more bytes could have continued.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/notThisFormat`` if no frame was recognised, and what the sink throws.
    public func finish<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        try drain(isLast: true, into: &sink)
        guard format != nil || tagTrack != nil else {
            throw ContainerError(.notThisFormat, "no frames of packed audio", at: 0)
        }
    }

    /// Begins the next segment: its tag tells a new ``startTimestamp``, times count from 0 again. Tracks stay.
    public func beginSegment() {
        startTimestamp = nil
        time = 0
        buffer.consume(buffer.count)
        buffer.compact()
        unread = 0
        parser?.reset()
    }

    private func drain<Sink: SampleSink>(isLast: Bool, into sink: inout Sink) throws(ContainerError) {
        while buffer.count > 0 {
            let bytes = buffer.bytes
            if bytes[0] == 0x49, bytes.count < ID3Tag.headerLength, !isLast { return }
            if let length = ID3Tag.length(bytes) {
                guard try takeTag(bytes, length: length, isLast: isLast, into: &sink) else { return }
                continue
            }
            guard let parser = try recognise(bytes, isLast: isLast, into: &sink) else { return }
            switch parser.scan(bytes, isLast: isLast) {
            case .frame(let length) where length > 0 && length <= bytes.count:
                try emit(UnsafeRawBufferPointer(rebasing: bytes[..<length]), parser, into: &sink)
                buffer.consume(length)
            case .garbage(let length) where length > 0 && length <= bytes.count:
                try pass(garbageLength(bytes, length), into: &sink)
            default:
                buffer.compact()
                return
            }
        }
    }

    /// Between frames a further tag may stand, and ID3v1's 128 bytes at the end.
    private func garbageLength(_ bytes: UnsafeRawBufferPointer, _ length: Int) -> Int {
        guard length > 1 else { return length }
        for place in 1..<length {
            if ID3Tag.length(UnsafeRawBufferPointer(rebasing: bytes[place...])) != nil { return place }
        }
        return length
    }

    private func pass<Sink: SampleSink>(_ length: Int, into sink: inout Sink) throws(ContainerError) {
        let bytes = buffer.bytes
        let isOldTag = length == 128 && bytes[0] == 0x54 && bytes[1] == 0x41 && bytes[2] == 0x47
        if !isOldTag {
            try sink.diagnostic(
                ContainerDiagnostic(.damagedFrame, "\(length) bytes belong to no frame", at: buffer.position, track: 0))
        }
        buffer.consume(length)
    }

    // MARK: - Format

    private func recognise<Sink: SampleSink>(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, into sink: inout Sink
    ) throws(ContainerError) -> FrameParser? {
        if let parser { return parser }
        if format == nil {
            if bytes.count < PackedAudioFormat.probeLength, !isLast { return nil }
            for place in 0..<min(bytes.count, PackedAudioFormat.probeLength) {
                let front = UnsafeRawBufferPointer(rebasing: bytes[place...])
                guard let found = PackedAudioFormat.recognise(front, isWhole: isLast) else { continue }
                format = found
                break
            }
        }
        guard let format else {
            try pass(buffer.count, into: &sink)
            return nil
        }
        let parser = format.makeParser()
        self.parser = parser
        return parser
    }

    // MARK: - Samples

    /// - Returns: Whether the tag was taken off the front; false if more bytes are needed.
    private func takeTag<Sink: SampleSink>(
        _ bytes: UnsafeRawBufferPointer, length: Int, isLast: Bool, into sink: inout Sink
    ) throws(ContainerError) -> Bool {
        if length > Self.longestTag {
            try sink.diagnostic(
                ContainerDiagnostic(.tooLong, "an ID3 tag of \(length) bytes", at: buffer.position))
            unread = length - min(length, bytes.count)
            buffer.consume(min(length, bytes.count))
            return true
        }
        guard bytes.count >= length || isLast else { return false }
        let whole = UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
        let tag = try ID3Tag(whole)
        startTimestamp = startTimestamp ?? tag.transportStreamTimestamp
        picture = picture ?? tag.picture
        try emitTag(whole, into: &sink)
        buffer.consume(whole.count)
        return true
    }

    private func emitTag<Sink: SampleSink>(
        _ tag: UnsafeRawBufferPointer, into sink: inout Sink
    ) throws(ContainerError) {
        if trackList.count == 0 { addSoundTrack() }
        if tagTrack == nil {
            let format = MediaFormat(codec: .id3, codecString: "id3", sampleEntry: "ID3 ")
            tagTrack = trackList.append(
                MediaTrack(id: 1, kind: .data, formats: [format], timescale: 90_000), isProvisional: false)
        }
        try announce(into: &sink)
        guard let tagTrack else { return }
        let now = rate > 0 ? Timescale.convert(time, from: Int32(clamping: rate), to: 90_000) : 0
        let sample = MediaSample(
            track: tagTrack, pts: now, dts: now, duration: 0, size: tag.count, isSync: true, offset: buffer.position)
        try sink.sample(sample, bytes: tag)
    }

    private func addSoundTrack() {
        _ = trackList.append(
            MediaTrack(id: 0, kind: .audio, formats: [MediaFormat(codec: .aac)], timescale: 1), isProvisional: true)
    }

    private func emit<Sink: SampleSink>(
        _ frame: UnsafeRawBufferPointer, _ parser: FrameParser, into sink: inout Sink
    ) throws(ContainerError) {
        if trackList.count == 0 { addSoundTrack() }
        if isAtFront {
            isAtFront = false
            if let information = MPEGAudioInformation(frame) {
                trackList.setPriming(information.priming, track: 0)
                return
            }
        }
        if parser.formatVersion != formatVersion, let format = parser.format {
            formatVersion = parser.formatVersion
            formatIndex = trackList.index(of: format, track: 0, frameRate: nil)
            if rate == 0 {
                rate = max(1, parser.duration.rate)
                trackList.setTimescale(Int32(clamping: rate), track: 0)
            }
        }
        try announce(into: &sink)
        // A stream that changes its rate keeps the first one's ticks.
        let duration = parser.duration.samples * rate / max(1, parser.duration.rate)
        let sample = MediaSample(
            track: 0, pts: time, dts: time, duration: duration, size: frame.count, isSync: true,
            formatIndex: formatIndex, offset: buffer.position)
        time += duration
        try sink.sample(sample, bytes: frame)
    }

    private func announce<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        guard trackList.hasChanged else { return }
        trackList.hasChanged = false
        try sink.tracks(trackList.tracks)
    }
}
