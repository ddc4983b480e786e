/// Makes one line of time from 33-bit counters that begin again at 0 every 26.5 hours (ISO/IEC 13818-1, 2.4.3.7).
struct TimestampUnwrapper {
    /// A counter's values.
    static let period: Int64 = 1 << 33
    /// A stream that begins less than a minute before the counter wraps begins below 0, so that what comes after the
    /// wrap has the times that it says.
    private static let lead: Int64 = 60 * 90_000

    private var last: Int64?

    /// An unwrapper whose first value is the one nearest to a time; nil begins below or at the first value.
    init(after time: Int64? = nil) { last = time }

    /// The time of a counter's value: the one that is nearest to the last.
    mutating func unwrap(_ value: Int64) -> Int64 {
        guard let last else {
            let first = value >= Self.period - Self.lead ? value - Self.period : value
            self.last = first
            return first
        }
        var time = last + Self.distance(from: last, to: value)
        // Only damage gets there, by half a period with each stamp: the counter begins again.
        if !Timescale.isInBounds(time, of: 90_000) { time = value }
        self.last = time
        return time
    }

    /// How far a counter's value is from a time, whichever way is shorter.
    static func distance(from time: Int64, to value: Int64) -> Int64 {
        var difference = value.subtractingClamped(max(time, -.max)) % period
        if difference < 0 { difference += period }
        return difference >= period / 2 ? difference - period : difference
    }

    /// Begins anew: the next value has no relation to the last.
    mutating func reset() { last = nil }
}
