import MediaCacheAPI

/// The ranges of numbers in requests: larger than any sensible value, and small enough that sums don't overflow.
enum Bounds {
    /// Concurrent operations.
    static let concurrency = 1...1000
    /// Priorities.
    static let priority = -1_000_000...1_000_000
    /// Bytes, and bytes per second.
    static let bytes: ClosedRange<Int64> = 0...1_000_000_000_000_000_000
    /// Numbers of segments.
    static let segments = 1...1_000_000_000
    /// Seconds, up to about 300 years.
    static let seconds = 0.0...1e10

    /// Checks an optional title.
    ///
    /// - Throws: ``Problem`` for an empty title.
    static func check(title: String?) throws {
        guard let title, title.isEmpty else { return }
        throw Problem.badRequest("title is empty; leave it out to derive it from the URL")
    }

    /// Checks an optional number.
    ///
    /// - Throws: ``Problem`` for a number outside the bounds.
    static func check<Number: Comparable>(
        _ number: Number?, _ bounds: ClosedRange<Number>, _ name: String
    ) throws {
        guard let number, !bounds.contains(number) else { return }
        throw Problem.badRequest(
            "\(name) must be a number from \(bounds.lowerBound) to \(bounds.upperBound), not \(number)")
    }
}
