/// How long a transport stream lasts, by the times at its two ends and without reading what lies between.
///
/// It's an estimate: a stream may join clocks that know nothing of each other.
public enum TransportStreamDuration {
    /// How much is read at either end, in bytes: tables come again several times a second.
    private static let windowLength: Int64 = 512 << 10
    /// By how much a stream's beginning may be denser than its average.
    private static let unevenness = 4.0

    /// Estimates it.
    ///
    /// - Parameter source: The whole stream.
    /// - Returns: Seconds, or nil where the ends don't tell, or there is too little between them to be worth it.
    /// - Throws: What the source throws; `notThisFormat` where there are no transport packets.
    public static func estimate(_ source: some ByteSource) throws(ContainerError) -> Double? {
        guard source.length > 2 * windowLength else { return nil }
        let demuxer = TransportStreamDemuxer()
        var head = TimeSpan()
        try push(0..<windowLength, of: source, demuxer, &head)
        // What comes next is on the same clock, and of the streams that are known now.
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
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ContainerError) in try demuxer.push(bytes, into: &span) }
        }
        try result.get()
    }

    /// When samples are decoded, from the first to the last.
    private struct TimeSpan: SampleSink {
        var times: ClosedRange<Int64>?

        mutating func tracks(_: [MediaTrack]) {}

        mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
            let before = times ?? sample.dts...sample.dts
            times = min(before.lowerBound, sample.dts)...max(before.upperBound, sample.dts)
        }
    }
}
