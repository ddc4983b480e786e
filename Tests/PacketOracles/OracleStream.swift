/// A stream of a file, as listed by ffprobe.
public struct OracleStream: Sendable {
    /// The codec's name in ffprobe.
    public var codec: String
    /// The denominator of the time base. A tick lasts ``seconds`` / ``ticks`` s.
    public var ticks: Int64
    /// The numerator of the time base.
    public var seconds: Int64
    /// The packets in order.
    public var packets: [OraclePacket] = []
    /// Whether ffprobe may have omitted packets at the end.
    public var isTruncated = false

    /// Reads a line such as `#stream 0 h264 tb=1/90000`. Returns nil for other lines.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 4, words[3].hasPrefix("tb=") else { return nil }
        let base = words[3].dropFirst(3).split(separator: "/").compactMap { Int64($0) }
        guard base.count == 2 else { return nil }
        codec = String(words[2])
        seconds = base[0]
        ticks = base[1]
    }

    /// Converts a time in ticks to microseconds.
    public func microseconds(_ time: Int64) -> Double { Double(time * seconds) * 1e6 / Double(ticks) }
}
