import Foundation
import MediaLibrary

/// A moment of wall-clock time, in any of the forms that URLs of windows take: seconds or milliseconds since 1970,
/// ISO 8601, seconds ago where it's negative, `now`.
struct MomentArgument: Sendable, Hashable {
    /// The moment as it was written: what is relative is so to when it's used.
    var text: String

    /// Reads a moment.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        self.text = text
        _ = try nanoseconds(now: 0)
    }

    /// Nanoseconds since 1970.
    ///
    /// - Parameter now: this moment, likewise.
    /// - Throws: ``ArgumentTextError``.
    func nanoseconds(now: Int64) throws -> Int64 {
        do {
            return try WindowRequest.moment(text, "the moment", now)
        } catch {
            throw ArgumentTextError(error.description)
        }
    }

    /// This moment, in nanoseconds since 1970.
    static var now: Int64 { Date().nanosecondsSinceEpoch }
}
