/// Conversions between timescales, and the bounds of all times.
///
/// Every time in a valid container is below 2⁵⁹ ticks and below 2³³ seconds, which leaves room for clocks that count
/// from 1900 and for a Unix time in ticks of 10 MHz. Parsers ensure these bounds, so a sum of up to 15 times, or of
/// 4,096 times in 90 kHz ticks, can't overflow. Sums without such a bound, such as a shift that grows with each
/// period, use `addingClamped`.
public enum Timescale {
    /// The bound of times in ticks, equal to 18 years in nanoseconds.
    static let maximumTicks: Int64 = 1 << 59
    /// The bound of times in seconds, equal to 272 years.
    static let maximumSeconds: Int64 = 1 << 33

    static func isInBounds(_ ticks: Int64, of timescale: Int32) -> Bool {
        ticks.magnitude < min(UInt64(maximumTicks), UInt64(max(1, timescale)) << 33)
    }

    /// Converts seconds to the nearest tick. Clamps times beyond the bounds, and returns 0 for NaN.
    package static func ticks(of seconds: Double, in timescale: Int32) -> Int64 {
        guard !seconds.isNaN else { return 0 }
        let longest = Double(maximumSeconds)
        let ticks = (min(max(seconds, -longest), longest) * Double(timescale)).rounded()
        return Int64(min(max(ticks, -Double(maximumTicks)), Double(maximumTicks)))
    }

    /// Converts ticks to another timescale of at least 1, rounding half away from zero. Clamps results that don't fit.
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
    /// Returns the sum, clamped to the range of the type. Only damaged files have times near the limits.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
