import MediaCacheAPI

/// What numbers from outside may be: far beyond what makes sense, and far from where sums of them overflow.
enum Bounds {
    /// What runs at once.
    static let concurrency = 1...1000
    /// What goes first.
    static let priority = -1_000_000...1_000_000
    /// Bytes, and bytes a second.
    static let bytes: ClosedRange<Int64> = 0...1_000_000_000_000_000_000
    /// How many segments.
    static let segments = 1...1_000_000_000
    /// Seconds, up to some three hundred years.
    static let seconds = 0.0...1e10

    /// - Throws: ``Problem`` for a title that nobody could see. There may be none.
    static func check(title: String?) throws {
        guard let title, title.isEmpty else { return }
        throw Problem.badRequest("title is empty; leave it out to have a name from the URL")
    }

    /// - Throws: ``Problem`` for a number that lies outside. There may be none.
    static func check<Number: Comparable>(
        _ number: Number?, _ bounds: ClosedRange<Number>, _ name: String
    ) throws {
        guard let number, !bounds.contains(number) else { return }
        throw Problem.badRequest("\(name) is a number from \(bounds.lowerBound) to \(bounds.upperBound), not \(number)")
    }
}
