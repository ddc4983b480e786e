/// A demuxer for packed audio (RFC 8216, 3.4) that is pushed in buffers of any size: AAC in ADTS, AC-3, Enhanced AC-3
/// or MPEG audio, usually after an ID3 tag.
///
/// Track 0 is the audio. Its timescale is the sample rate, and its times count from 0. ``startTimestamp`` is the
/// timestamp of its first sample on the clock of the other segments. Track 1 is added at the first ID3 tag and contains
/// each tag as a sample.
///
/// Damage isn't an error: it is reported and skipped.
public final class PackedAudioDemuxer {
    /// The maximum length of an ID3 tag in bytes. A longer tag, such as one with a large picture, is skipped.
    private static let maximumTagLength = 16 << 20

    /// The format, or nil until it is recognized.
    public private(set) var format: PackedAudioFormat?
    /// The 33-bit timestamp of the first sample of the segment in 90 kHz ticks, or nil if no tag contains it.
    public private(set) var startTimestamp: Int64?
    /// The picture of the first tag that has one, or nil.
    public private(set) var picture: ID3Picture?
    /// The tracks found so far.
    public var tracks: [MediaTrack] { trackList.tracks }

    private let trackList = TrackList()
    private var buffer = PayloadBuffer()
    private var parser: FrameParser?
    /// Whether the next frame is the first, which may be an information frame.
    private var isAtFront = true
    private var formatVersion = 0
    private var formatIndex = 0
    /// The time of the next frame, in samples at the audio rate.
    private var time: Int64 = 0
    private var rate: Int64 = 0
    private var tagTrack: Int?
    /// The number of bytes of an oversized tag that are left to skip.
    private var unread = 0

    /// Creates a demuxer that recognizes the format if it's nil.
    public init(format: PackedAudioFormat? = nil) {
        self.format = format
    }

    /// Pushes the next bytes.
    public func push<Sink: SampleSink>(_ bytes: UnsafeRawBufferPointer, into sink: inout Sink) throws(ContainerError) {
        var start = 0
        while start < bytes.count, let base = bytes.baseAddress {
            let skipped = min(unread, bytes.count - start)
            unread -= skipped
            start += skipped
            let count = min(1 << 18, bytes.count - start)
            buffer.append(base + start, count: count)
            start += count
            try drain(isLast: false, into: &sink)
        }
    }

    /// Ends the segment or file and delivers the remaining frames. Throws `notThisFormat` if the format is unknown and
    /// no ID3 tag was found.
    public func finish<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        try drain(isLast: true, into: &sink)
        guard format != nil || tagTrack != nil else {
            throw ContainerError(.notThisFormat, "not packed audio: no frames found", at: 0)
        }
    }

    /// Begins the next segment. Its tag sets ``startTimestamp``, and its times count from 0. Tracks remain.
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
            guard let parser = try recognize(bytes, isLast: isLast, into: &sink) else { return }
            switch parser.scan(bytes, isLast: isLast) {
            case .frame(let length) where length > 0 && length <= bytes.count:
                try emit(UnsafeRawBufferPointer(rebasing: bytes[..<length]), parser, into: &sink)
                buffer.consume(length)
            case .garbage(let length) where length > 0 && length <= bytes.count:
                try skipGarbage(garbageLength(bytes, length), into: &sink)
            default:
                buffer.compact()
                return
            }
        }
    }

    /// Returns the length of the garbage up to the next ID3 tag, since a tag may follow any frame.
    private func garbageLength(_ bytes: UnsafeRawBufferPointer, _ length: Int) -> Int {
        guard length > 1 else { return length }
        for place in 1..<length {
            if ID3Tag.length(UnsafeRawBufferPointer(rebasing: bytes[place...])) != nil { return place }
        }
        return length
    }

    private func skipGarbage<Sink: SampleSink>(_ length: Int, into sink: inout Sink) throws(ContainerError) {
        let bytes = buffer.bytes
        let isID3v1 = length == 128 && bytes[0] == 0x54 && bytes[1] == 0x41 && bytes[2] == 0x47
        if !isID3v1 {
            try sink.diagnostic(
                ContainerDiagnostic(
                    .damagedFrame, "\(length) bytes outside of any frame", at: buffer.position, track: 0))
        }
        buffer.consume(length)
    }

    private func recognize<Sink: SampleSink>(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, into sink: inout Sink
    ) throws(ContainerError) -> FrameParser? {
        if let parser { return parser }
        if format == nil {
            if bytes.count < PackedAudioFormat.probeLength, !isLast { return nil }
            for place in 0..<min(bytes.count, PackedAudioFormat.probeLength) {
                let front = UnsafeRawBufferPointer(rebasing: bytes[place...])
                guard let found = PackedAudioFormat.recognize(front, isWhole: isLast) else { continue }
                format = found
                break
            }
        }
        guard let format else {
            try skipGarbage(buffer.count, into: &sink)
            return nil
        }
        let parser = format.makeParser()
        self.parser = parser
        return parser
    }

    /// Processes the tag at the beginning of the buffer. Returns false if more bytes are needed.
    private func takeTag<Sink: SampleSink>(
        _ bytes: UnsafeRawBufferPointer, length: Int, isLast: Bool, into sink: inout Sink
    ) throws(ContainerError) -> Bool {
        if length > Self.maximumTagLength {
            try sink.diagnostic(
                ContainerDiagnostic(.tooLong, "skipped an ID3 tag of \(length) bytes", at: buffer.position))
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
        if trackList.count == 0 { addAudioTrack() }
        if tagTrack == nil {
            let format = MediaFormat(codec: .id3, codecString: "id3", sampleEntry: "ID3 ")
            tagTrack = trackList.append(
                MediaTrack(id: 1, kind: .data, formats: [format], timescale: 90_000), isProvisional: false)
        }
        try trackList.announce(to: &sink)
        guard let tagTrack else { return }
        let now = rate > 0 ? Timescale.convert(time, from: Int32(clamping: rate), to: 90_000) : 0
        let sample = MediaSample(
            track: tagTrack, pts: now, dts: now, duration: 0, size: tag.count, isSync: true, offset: buffer.position)
        try sink.sample(sample, bytes: tag)
    }

    private func addAudioTrack() {
        _ = trackList.append(
            MediaTrack(id: 0, kind: .audio, formats: [MediaFormat(codec: .aac)], timescale: 1), isProvisional: true)
    }

    private func emit<Sink: SampleSink>(
        _ frame: UnsafeRawBufferPointer, _ parser: FrameParser, into sink: inout Sink
    ) throws(ContainerError) {
        if trackList.count == 0 { addAudioTrack() }
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
        try trackList.announce(to: &sink)
        // If the sample rate changes, times continue in ticks of the first rate.
        let duration = parser.duration.samples * rate / max(1, parser.duration.rate)
        let sample = MediaSample(
            track: 0, pts: time, dts: time, duration: duration, size: frame.count, isSync: true,
            formatIndex: formatIndex, offset: buffer.position)
        time += duration
        try sink.sample(sample, bytes: frame)
    }
}
