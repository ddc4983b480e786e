package import Foundation
internal import HLS
internal import MediaContainers

package enum DurationText {
    /// Returns the two largest units, rounded down: `2d 3h`, `2d`, `1h 00m`, `1m 05s`, `42s`. A negative duration is
    /// `0s`.
    package static func describe(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return hours > 0 ? "\(days)d \(hours)h" : "\(days)d" }
        if hours > 0 { return "\(hours)h \(twoDigits(minutes))m" }
        if minutes > 0 { return "\(minutes)m \(twoDigits(seconds % 60))s" }
        return "\(seconds)s"
    }

    private static func twoDigits(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

/// Times in seconds, computed from ticks without floating-point errors.
package enum SecondsText {
    /// Returns `ticks` in seconds with six decimals, rounded to the nearest microsecond: `-0.041667`.
    package static func microseconds(_ ticks: Int64, timescale: Int32) -> String {
        let microseconds = Timescale.convert(ticks, from: timescale, to: 1_000_000)
        let fraction = String(microseconds.magnitude % 1_000_000)
        let sign = microseconds < 0 ? "-" : ""
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(sign)\(microseconds.magnitude / 1_000_000).\(zeros)\(fraction)"
    }

    /// Returns `ticks` in seconds, rounded to the nearest microsecond.
    package static func number(_ ticks: Int64, timescale: Int32) -> Double {
        Double(Timescale.convert(ticks, from: timescale, to: 1_000_000)) / 1e6
    }

    /// Returns seconds with three decimals. A minute or more is also expressed in larger units: `1h 02m (3725.250 s)`.
    /// Returns `?` if the number isn't finite or its magnitude is 1e15 or more.
    package static func describe(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e15 else { return "?" }
        let exact = "\(microseconds(Int64((seconds * 1000).rounded()), timescale: 1000).dropLast(3)) s"
        return seconds < 60 ? exact : "\(DurationText.describe(.seconds(seconds))) (\(exact))"
    }
}

/// Text for dates and times in UTC.
package enum MomentText {
    /// Returns a date and time to the second: `2026-01-31 20:15:00`.
    package static func plain(_ date: Date) -> String {
        date.formatted(
            .iso8601.year().month().day().dateSeparator(.dash).dateTimeSeparator(.space).time(
                includingFractionalSeconds: false))
    }

    /// Returns a time in milliseconds since 1970 as ISO 8601: `2026-01-31T20:15:00.250Z`. Whole seconds have no
    /// fraction. If the nanoseconds exceed 64 bits, the text is the number.
    package static func exact(_ milliseconds: Int64) -> String {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return "\(milliseconds)" }
        return DateTime(nanosecondsSinceEpoch: nanoseconds).text.replacing(".000Z", with: "Z")
    }
}
