package import Foundation

/// A time of day, such as `20:15` or `20:15:30`.
package struct ClockTime: Sendable, Hashable {
    private var hour: Int
    private var minute: Int
    private var second: Int

    /// Parses a time of day; returns nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let areNumbers = parts.allSatisfy { (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(UInt8.isDigit) }
        let numbers = parts.compactMap { Int($0) }
        guard areNumbers, (2...3).contains(numbers.count), numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        (hour, minute, second) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)
    }

    /// Returns the time of a window's start, in nanoseconds since 1970, if its text is a time of day: the latest such time.
    package static func start(_ text: String, now: Int64) -> Int64? { ClockTime(text)?.latest(until: now) }

    /// Returns the time of a window's end, in nanoseconds since 1970, if its text is a time of day: the first such time
    /// after the start, or the latest one without a start.
    package static func end(_ text: String, start: Int64?, now: Int64) -> Int64? {
        ClockTime(text).map { clock in start.map { clock.first(after: $0) } ?? clock.latest(until: now) }
    }

    private var components: DateComponents { DateComponents(hour: hour, minute: minute, second: second) }

    /// Returns the latest such time that isn't after `now`. Both are in nanoseconds since 1970.
    package func latest(until now: Int64, calendar: Calendar = .current) -> Int64 {
        let date = Date(nanosecondsSinceEpoch: now)
        // The search excludes its start.
        return calendar.nextDate(
            after: date.addingTimeInterval(0.001), matching: components, matchingPolicy: .nextTime, direction: .backward
        )?
        .nanosecondsSinceEpoch ?? now
    }

    /// Returns the first such time after `time`. Both are in nanoseconds since 1970.
    package func first(after time: Int64, calendar: Calendar = .current) -> Int64 {
        calendar.nextDate(after: Date(nanosecondsSinceEpoch: time), matching: components, matchingPolicy: .nextTime)?
            .nanosecondsSinceEpoch ?? time
    }
}

extension UInt8 {
    fileprivate static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
