/// Times as WebVTT writes them: `00:00.000` or `00:00:00.000` (W3C WebVTT, 4.1).
enum WebVTTTime {
    private static let ticksPerMillisecond: Int64 = 90
    /// More hours than this are no time.
    private static let mostHours: Int64 = 1 << 20

    /// The ticks of 90 kHz that a text stands for; nil if it's none.
    static func ticks(_ text: some StringProtocol) -> Int64? {
        let text = String(text.filter { $0 != " " && $0 != "\t" })
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let last = parts.last else { return nil }
        let seconds = last.split(separator: ".", omittingEmptySubsequences: false)
        guard seconds.count == 2, seconds[1].utf8.count == 3 else { return nil }
        let hours = parts.count == 3 ? number(parts[0]) : 0
        guard let hours, hours < mostHours, let minutes = number(parts[parts.count - 2]), minutes < 60,
            let whole = number(seconds[0]), whole < 60, let milliseconds = number(seconds[1])
        else { return nil }
        return (((hours * 60 + minutes) * 60 + whole) * 1000 + milliseconds) * ticksPerMillisecond
    }

    /// A time of ticks, to the millisecond; none is before 0.
    static func text(_ ticks: Int64) -> String {
        let all = (max(0, ticks) + ticksPerMillisecond / 2) / ticksPerMillisecond
        let (seconds, milliseconds) = (all / 1000, all % 1000)
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
            + ".\(padded(milliseconds, 3))"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
