/// Estimation of the duration of a transport stream from the times at its two ends, without reading the rest.
///
/// The result is an estimate, because a stream may join unrelated clocks. Timestamps wrap every 26.5 hours, so streams
/// of more than 13 hours have no estimate or one that is too short.
public enum TransportStreamDuration {
    /// The number of bytes read at each end.
    private static let windowLength: Int64 = 512 << 10
    /// The maximum ratio of the bit rate at the start to the average bit rate.
    private static let unevenness = 4.0

    /// Estimates the duration of a whole stream in seconds. Returns nil if the ends have no usable times or the stream
    /// is no longer than 1 MiB. Throws `notThisFormat` if there are no transport packets, and the errors of the source.
    public static func estimate(_ source: some ByteSource) throws(ContainerError) -> Double? {
        guard source.length > 2 * windowLength else { return nil }
        let demuxer = TransportStreamDemuxer()
        var head = TimeSpan()
        try push(0..<windowLength, of: source, demuxer, &head)
        // The tail continues the clock and the streams of the head.
        try demuxer.interrupt(into: &head)
        var tail = TimeSpan()
        try push(source.length - windowLength..<source.length, of: source, demuxer, &tail)
        try demuxer.finish(into: &tail)
        guard let first = head.times, let last = tail.times, last.upperBound > first.lowerBound else { return nil }
        let byRate = Double(first.upperBound - first.lowerBound) * Double(source.length) / Double(windowLength)
        return min(Double(last.upperBound - first.lowerBound), byRate * unevenness) / 90_000
    }

    private static func push(
        _ range: Range<Int64>, of source: some ByteSource, _ demuxer: TransportStreamDemuxer, _ span: inout TimeSpan
    ) throws(ContainerError) {
        let bytes = try source.bytes(range, limit: Int(windowLength))
        try bytes.withBorrowedBytes { (bytes) throws(ContainerError) in try demuxer.push(bytes, into: &span) }
    }

    /// A sink that records the range of decoding times.
    private struct TimeSpan: SampleSink {
        var times: ClosedRange<Int64>?

        mutating func tracks(_: [MediaTrack]) {}

        mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
            let before = times ?? sample.dts...sample.dts
            times = min(before.lowerBound, sample.dts)...max(before.upperBound, sample.dts)
        }
    }
}
