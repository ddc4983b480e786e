/// One stream of a file as ffprobe tells it.
public struct OracleStream: Sendable {
    /// ffprobe's name of the coding.
    public var codec: String
    /// How many ticks there are in ``seconds``.
    public var ticks: Int64
    /// How many seconds ``ticks`` last.
    public var seconds: Int64
    /// In their order.
    public var packets: [OraclePacket] = []
    /// Whether packets may follow that ffprobe left out.
    public var isCutShort = false

    /// Reads a line `#stream 0 h264 tb=1/90000`.
    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 4, words[3].hasPrefix("tb=") else { return nil }
        let base = words[3].dropFirst(3).split(separator: "/").compactMap { Int64($0) }
        guard base.count == 2 else { return nil }
        codec = String(words[2])
        seconds = base[0]
        ticks = base[1]
    }

    /// A time in microseconds.
    public func microseconds(_ time: Int64) -> Double { Double(time * seconds) * 1e6 / Double(ticks) }
}
