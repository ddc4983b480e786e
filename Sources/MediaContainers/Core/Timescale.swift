/// Conversions between timescales, and the bound of all times.
///
/// Every time that a container states is below 2^59 ticks and below 2^33 seconds, or the container is
/// malformed; the parsers of MP4 check each edit, fragment and sample, and those of MPEG-TS and packed audio count from
/// 33-bit time stamps by at most half a wrap a packet. The bounds leave room for clocks that count from 1900 or 1970, and
/// for a Unix time in the ticks of Smooth Streaming (10 MHz).
///
/// Because of them, sums in this module can't overflow: a sum of up to 15 times is below 2⁶³. Times in ticks of 90 kHz are
/// below 2⁵⁰, so that even the times of 4,096 held samples add up to less than 2⁶³. What can't be proved by that, such as
/// a shift that grows from stretch to stretch, is clamped by `addingClamped`.
public enum Timescale {
    /// The bound of times in ticks: 18 years of nanoseconds.
    static let mostTicks: Int64 = 1 << 59
    /// The bound of times in seconds: 272 years.
    static let mostSeconds: Int64 = 1 << 33

    /// Whether a time or duration is within the bounds.
    static func isInBounds(_ ticks: Int64, of timescale: Int32) -> Bool {
        ticks.magnitude < min(UInt64(mostTicks), UInt64(max(1, timescale)) << 33)
    }

    /// Converts seconds to the nearest tick; times beyond the bounds are clamped to them, and no number is 0.
    ///
    /// - Parameters:
    ///   - seconds: A time or duration; infinite ones are clamped as well.
    ///   - timescale: Ticks per second wanted, at least 1.
    package static func ticks(of seconds: Double, in timescale: Int32) -> Int64 {
        guard !seconds.isNaN else { return 0 }
        let longest = Double(mostSeconds)
        let ticks = (min(max(seconds, -longest), longest) * Double(timescale)).rounded()
        return Int64(min(max(ticks, -Double(mostTicks)), Double(mostTicks)))
    }

    /// Converts ticks, rounding to the nearest and halves away from zero; results that don't fit are clamped.
    ///
    /// - Parameters:
    ///   - ticks: A time or duration.
    ///   - from: Ticks per second of it, at least 1.
    ///   - target: Ticks per second wanted, at least 1.
    public static func convert(_ ticks: Int64, from: Int32, to target: Int32) -> Int64 {
        if from == target { return ticks }
        let divisor = UInt64(max(1, from))
        let product = ticks.magnitude.multipliedFullWidth(by: UInt64(max(0, target)))
        let (low, carry) = product.low.addingReportingOverflow(divisor / 2)
        let high = product.high + (carry ? 1 : 0)
        guard high < divisor else { return ticks < 0 ? .min : .max }
        let quotient = divisor.dividingFullWidth((high, low)).quotient
        let magnitude = Int64(clamping: quotient)
        return ticks < 0 ? -magnitude : magnitude
    }
}

extension Int64 {
    /// The sum, or the nearest number that fits: times near the limits come from damaged files only.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number that fits.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

extension Int {
    /// The number, or the limit where it is larger.
    func clamped(to limit: Int) -> Int { Swift.min(self, limit) }
}
