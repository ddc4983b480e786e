import MediaContainers

/// Times in seconds as text, exact where a floating-point number wouldn't be.
enum SecondsText {
    /// `ticks` of `timescale` in seconds with six decimals, rounded to the nearest microsecond: `-0.041667`.
    static func microseconds(_ ticks: Int64, timescale: Int32) -> String {
        let microseconds = Timescale.convert(ticks, from: timescale, to: 1_000_000)
        let fraction = String(microseconds.magnitude % 1_000_000)
        let sign = microseconds < 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(sign)\(microseconds.magnitude / 1_000_000).\(zeros)\(fraction)"
    }

    /// `ticks` of `timescale` in seconds, to the microsecond.
    static func number(_ ticks: Int64, timescale: Int32) -> Double {
        Double(Timescale.convert(ticks, from: timescale, to: 1_000_000)) / 1e6
    }

    /// A number of seconds with three decimals, from a minute on also in larger units: `1h 02m (3725.250 s)`.
    static func describe(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e15 else { return "?" }
        let exact = "\(microseconds(Int64((seconds * 1000).rounded()), timescale: 1000).dropLast(3)) s"
        return seconds < 60 ? exact : "\(DurationText.describe(.seconds(seconds))) (\(exact))"
    }
}
