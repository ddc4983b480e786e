import Foundation

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

    /// A stretch in nanoseconds since 1970.
    init(_ range: Range<Int64>) {
        self.init(from: range.lowerBound / 1_000_000, to: range.upperBound / 1_000_000)
    }

    /// A stretch between two moments.
    init(_ range: Range<Date>) {
        self.init(
            from: Int64((range.lowerBound.timeIntervalSince1970 * 1000).rounded()),
            to: Int64((range.upperBound.timeIntervalSince1970 * 1000).rounded()))
    }
}
