import Foundation
import MediaLibrary

/// A point in time, written as in window URLs: seconds or milliseconds since 1970, ISO 8601, a negative number of
/// seconds relative to now, or `now`. Also a time of day by the local clock, such as `20:15`.
struct MomentArgument: Sendable, Hashable {
    /// The text. A relative time is resolved when it's used.
    var text: String

    init(parsing text: String) throws {
        self.text = text
        _ = try nanoseconds(now: 0)
    }

    /// Returns the time in nanoseconds since 1970. `now` has the same unit.
    ///
    /// - Parameter isFuture: Whether a time of day is the next one rather than the last one.
    func nanoseconds(now: Int64, isFuture: Bool = false) throws -> Int64 {
        if let clock = ClockTime(text) { return isFuture ? clock.first(after: now) : clock.latest(until: now) }
        do {
            return try WindowRequest.moment(text, "the time", now)
        } catch {
            throw ArgumentTextError(error.description)
        }
    }

    /// The current time in nanoseconds since 1970.
    static var now: Int64 { Date().nanosecondsSinceEpoch }
}
