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
