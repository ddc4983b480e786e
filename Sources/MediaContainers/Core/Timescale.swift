/// Conversions between timescales.
public enum Timescale {
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
