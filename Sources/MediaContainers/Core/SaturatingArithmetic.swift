extension Int64 {
    /// The sum, or the nearest number that fits: times near the limits come from damaged files only.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension Int {
    /// The number, or the limit where it is larger.
    func clamped(to limit: Int) -> Int { Swift.min(self, limit) }
}
