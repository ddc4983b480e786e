import Foundation
import HLS

/// Moments as people read them, in universal time.
enum MomentText {
    /// `2026-01-31 20:15:00`.
    static func plain(_ date: Date) -> String {
        date.formatted(
            .iso8601.year().month().day().dateSeparator(.dash).dateTimeSeparator(.space).time(
                includingFractionalSeconds: false))
    }

    /// `2026-01-31T20:15:00.250Z`, as `--from` and URLs take it; whole seconds without a fraction.
    ///
    /// - Parameter milliseconds: since 1970.
    static func exact(_ milliseconds: Int64) -> String {
        let (nanoseconds, isOver) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard !isOver else { return "\(milliseconds)" }
        return DateTime(nanosecondsSinceEpoch: nanoseconds).text.replacing(".000Z", with: "Z")
    }
}
