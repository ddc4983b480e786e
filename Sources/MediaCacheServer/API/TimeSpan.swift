import Foundation
import MediaLibrary

/// A stretch of time.
public struct TimeSpan: Codable, Sendable, Hashable {
    /// When it begins, in milliseconds since 1970.
    public var from: Int64
    /// When it ends, in milliseconds since 1970.
    public var to: Int64

    /// Creates a stretch.
    public init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }

    /// The whole milliseconds of a stretch in nanoseconds since 1970: what is said to be there can be asked for.
    init(_ range: Range<Int64>) {
        let from = (range.lowerBound + 999_999) / 1_000_000
        self.init(from: from, to: max(from, range.upperBound / 1_000_000))
    }

    /// A stretch between two moments, likewise.
    init(_ range: Range<Date>) {
        // To the microsecond, since a date is no whole number of anything.
        self.init(
            range.lowerBound
                .nanosecondsSinceEpoch..<max(
                    range.lowerBound.nanosecondsSinceEpoch, range.upperBound.nanosecondsSinceEpoch))
    }
}
