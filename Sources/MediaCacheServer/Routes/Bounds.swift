import MediaCacheAPI

/// The valid ranges of numbers in requests: larger than any sensible value, but small enough that sums don't overflow.
enum Bounds {
    static let concurrency = 1...1000
    static let priority = -1_000_000...1_000_000
    /// The range of byte counts, and of bytes per second.
    static let bytes: ClosedRange<Int64> = 0...1_000_000_000_000_000_000
    static let segments = 1...1_000_000_000
    /// The range of durations in seconds.
    static let seconds = 0.0...1e10

    static func check(title: String?) throws {
        guard let title, title.isEmpty else { return }
        throw Problem.badRequest("title must not be empty; omit it to derive it from the URL")
    }

    static func check<Number: Comparable>(
        _ number: Number?, _ bounds: ClosedRange<Number>, _ name: String
    ) throws {
        guard let number, !bounds.contains(number) else { return }
        throw Problem.badRequest(
            "\(name) must be a number from \(bounds.lowerBound) to \(bounds.upperBound), not \(number)")
    }
}
