package import Foundation
internal import MediaCache

extension Date {
    /// The nanoseconds since 1970-01-01T00:00:00Z, rounded to microseconds and limited to the range of 64 bits.
    package var nanosecondsSinceEpoch: Int64 {
        Int64(max(-9.2e15, min((timeIntervalSince1970 * 1e6).rounded(), 9.2e15))) * 1000
    }

    /// Creates a date from nanoseconds since 1970-01-01T00:00:00Z.
    package init(nanosecondsSinceEpoch: Int64) { self.init(timeIntervalSince1970: Double(nanosecondsSinceEpoch) / 1e9) }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range of 64 bits.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product.clampedSum(attoseconds / 1_000_000_000)
    }
}
