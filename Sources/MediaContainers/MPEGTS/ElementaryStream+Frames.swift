extension ElementaryStream {
    private var maximumFrameLength: Int { isVideo ? 16 << 20 : 1 << 20 }

    /// The number of bytes of a start code that may be at the end of the previous packet.
    private var markTolerance: Int64 { isVideo ? 3 : 0 }

    func drain<Sink: SampleSink>(isLast: Bool, into sink: inout Sink) throws(ContainerError) {
        while buffer.count > 0 {
            let bytes = buffer.bytes
            switch parser.scan(bytes, isLast: isLast) {
            case .frame(let length) where length > 0 && length <= bytes.count:
                try emit(UnsafeRawBufferPointer(rebasing: bytes[..<length]), into: &sink)
                buffer.consume(length)
            case .garbage(let length) where length > 0 && length <= bytes.count:
                try report(.damagedFrame, "\(length) bytes outside of any frame", into: &sink)
                buffer.consume(length)
            default:
                if buffer.count > maximumFrameLength {
                    try report(.tooLong, "no end of frame in \(buffer.count) bytes", into: &sink)
                    buffer.consume(buffer.count)
                    parser.reset()
                }
                buffer.compact()
                return
            }
        }
    }

    private func emit<Sink: SampleSink>(_ frame: UnsafeRawBufferPointer, into sink: inout Sink) throws(ContainerError) {
        if parser.formatVersion != formatVersion, let format = parser.format {
            formatVersion = parser.formatVersion
            formatIndex = tracks.index(of: format, track: track, frameRate: parser.frameRate)
        }
        try tracks.announce(to: &sink)
        let length = frameLength()
        guard let time = takeTime(length) else {
            try report(.missingTimestamp, "frame of \(frame.count) bytes before the first timestamp", into: &sink)
            return
        }
        let end = FrameClock.end(of: time.pts, length)
        next = Mark(position: 0, pts: end, dts: isVideo ? FrameClock.end(of: time.dts, length) : end)
        let content = UnsafeRawBufferPointer(rebasing: frame[min(parser.prefixLength, frame.count)...])
        let sample = MediaSample(
            track: track, pts: time.pts, dts: time.dts, duration: end - time.pts, size: content.count,
            isSync: parser.isSync, formatIndex: formatIndex)
        try sink.sample(sample, bytes: content)
    }

    /// Returns the duration of a frame. For video, it's derived from the parameter sets and halved for a field.
    private func frameLength() -> FrameParser.FrameDuration {
        guard isVideo else { return parser.duration }
        guard let rate = parser.frameRate, rate > 1, rate < 1000 else { return FrameParser.FrameDuration() }
        return FrameParser.FrameDuration(samples: 1001, rate: Int64((rate * 1001 * (parser.isField ? 2 : 1)).rounded()))
    }

    /// Removes and returns the timestamp of the next frame. A timestamp applies to the first frame that begins in its
    /// packet (2.7.5). Without one, returns the end of the previous frame, or nil if there is none.
    private func takeTime(_ length: FrameParser.FrameDuration) -> Mark? {
        let reach = buffer.position + markTolerance
        var found: Mark?
        while let first = marks.first, first.position <= reach {
            found = first
            marks.removeFirst()
        }
        return found ?? next
    }
}

/// A clock for frames without a timestamp. Each of them begins at the end of the previous frame.
///
/// Durations of audio frames are rarely whole ticks. Ends are rounded on a grid of whole frames from 0, so that a
/// sequence of any length drifts from each timestamp by less than a tick.
enum FrameClock {
    /// Returns the end of a frame that starts at `start`, in 90 kHz ticks.
    static func end(of start: Int64, _ duration: FrameParser.FrameDuration) -> Int64 {
        guard duration.samples > 0, duration.rate > 0, duration.samples < 1 << 20 else { return start }
        let ticks = duration.samples * 90_000
        guard ticks % duration.rate != 0 else { return start.addingClamped(ticks / duration.rate) }
        let (product, overflow) = start.multipliedReportingOverflow(by: duration.rate)
        // Only damaged streams have times that far from 0. Rounding can't overflow below the limit.
        guard !overflow, product.magnitude < 1 << 62 else { return start.addingClamped(ticks / duration.rate) }
        let frame = rounded(product, over: ticks)
        return start + rounded((frame + 1) * ticks, over: duration.rate) - rounded(frame * ticks, over: duration.rate)
    }

    /// Divides, rounding half away from zero.
    private static func rounded(_ value: Int64, over divisor: Int64) -> Int64 {
        value >= 0 ? (value + divisor / 2) / divisor : -((divisor / 2 - value) / divisor)
    }
}
