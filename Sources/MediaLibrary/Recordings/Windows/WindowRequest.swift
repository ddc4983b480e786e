internal import Foundation
import HLS
internal import MediaCache

/// A request for a window of a recording, in any of the common forms.
package enum WindowRequest: Sendable, Hashable {
    /// A window of the given length in nanoseconds that ends at the live edge; nil means the default length.
    case live(Int64?)
    /// A live window that ends the given number of nanoseconds before the stream's current time.
    case delayed(Int64)
    /// A time range in nanoseconds since 1970. Without an end, it continues with the recording.
    case span(from: Int64, to: Int64?)
    /// Everything recorded so far.
    case all

    private static let second: Int64 = 1_000_000_000
    /// The smallest value that is taken as milliseconds since 1970. As seconds, it would be in the year 5138.
    private static let minimumMilliseconds = 1e11
    /// The maximum distance from 1970 in nanoseconds. It ensures that sums of two times don't overflow.
    private static let maximumDistance = 4_000_000_000 * second

    /// Parses a request. Returns nil if the name isn't that of a window.
    ///
    /// - Parameters:
    ///   - name: The filename of the playlist, such as `index.m3u8` or `archive-<utc>-<duration>.m3u8`.
    ///   - query: The query items. Unknown ones are ignored.
    ///   - now: The stream's current time (``Recording/streamTime``), in nanoseconds since 1970.
    /// - Throws: ``WindowError`` for an invalid request.
    package init?(name: String, query: [(name: String, value: String)], now: Int64) throws(WindowError) {
        guard name.hasSuffix(".m3u8") else { return nil }
        let stem = name.dropLast(5)
        switch stem {
        case "index", "thumbnails": self = try Self.queried(query, now)
        case "all": self = .all
        case _ where stem.hasPrefix("archive-"):
            let parts = stem.dropFirst(8).split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw WindowError("“\(name)” doesn't have the form archive-<utc>-<seconds>.m3u8")
            }
            let from = try Self.moment(String(parts[0]), "the start", now)
            if parts[1] == "now" {
                self = .span(from: from, to: nil)
            } else {
                self = try Self.span(from, try Self.duration(String(parts[1]), "the duration"))
            }
        case _ where stem.hasPrefix("timeshift_abs-"):
            self = .span(from: try Self.moment(String(stem.dropFirst(14)), "the time", now), to: nil)
        case _ where stem.hasPrefix("timeshift_rel-"):
            self = .delayed(try Self.duration(String(stem.dropFirst(14)), "the delay"))
        default: return nil
        }
    }

    private static func queried(
        _ query: [(name: String, value: String)], _ now: Int64
    ) throws(WindowError) -> WindowRequest {
        var (from, to, duration, window): (String?, String?, String?, String?)
        for (name, value) in query {
            switch name {
            // `lutc`, the client's time, accompanies `utc`. The stream's time is used instead, which is more reliable.
            case "begintime", "start", "from", "utc": from = try single(from, value, name)
            case "endtime", "end", "to": to = try single(to, value, name)
            case "duration": duration = try single(duration, value, name)
            case "window": window = try single(window, value, name)
            default: continue
            }
        }
        if let window {
            guard from == nil, to == nil, duration == nil else {
                throw WindowError("window can't be combined with begintime, endtime or duration")
            }
            return .live(try Self.duration(window, "window"))
        }
        guard let from else {
            guard to == nil, duration == nil else {
                throw WindowError("a window with an end needs a start; add begintime=<time>")
            }
            return .live(nil)
        }
        guard to == nil || duration == nil else { throw WindowError("specify either an end or a duration, not both") }
        let start = try moment(from, "begintime", now)
        if let duration { return try span(start, try Self.duration(duration, "duration")) }
        guard let to, to != "now" else { return .span(from: start, to: nil) }
        let end = try moment(to, "endtime", now)
        guard end > start else { throw WindowError("the end must be after the start") }
        return .span(from: start, to: end)
    }

    private static func single(_ known: String?, _ value: String, _ name: String) throws(WindowError) -> String {
        guard known == nil else {
            throw WindowError("“\(name)” repeats a value that is already given; specify it once")
        }
        return value
    }

    private static func span(_ from: Int64, _ duration: Int64) throws(WindowError) -> WindowRequest {
        guard duration > 0 else { throw WindowError("the duration must be greater than 0") }
        return .span(from: from, to: from.clampedSum(duration))
    }

    /// Parses a time and returns it in nanoseconds since 1970. The text may be seconds or milliseconds since 1970, ISO
    /// 8601, `now`, or a negative number of seconds relative to `now`.
    ///
    /// - Parameters:
    ///   - what: The name of the time in error messages.
    ///   - now: The stream's current time in nanoseconds since 1970.
    /// - Throws: ``WindowError`` if the text has none of these forms, or if a number is out of range.
    package static func moment(_ text: String, _ what: String, _ now: Int64) throws(WindowError) -> Int64 {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text == "now" { return now }
        if let number = Double(text), number.isFinite {
            guard abs(number) < 1e16 else {
                throw WindowError(
                    "\(what) “\(text)” is out of range; use seconds or milliseconds since 1970, or -<seconds> for a time "
                        + "in the past")
            }
            if text.hasPrefix("-") { return now.clampedSum(nanoseconds(number)) }
            return number >= minimumMilliseconds ? nanoseconds(number / 1000) : nanoseconds(number)
        }
        // In a query, a plus sign is often decoded as a space.
        if text.contains("T"), let moment = DateTime(text.replacing(" ", with: "+")).nanosecondsSinceEpoch {
            return min(max(-maximumDistance, moment), maximumDistance)
        }
        throw WindowError(
            "\(what) “\(text)” isn't a time; use seconds or milliseconds since 1970, ISO 8601 such as "
                + "2026-01-31T20:15:00Z, or -<seconds> for a time in the past")
    }

    /// Converts seconds to nanoseconds, rounded to microseconds and limited to ``maximumDistance``.
    private static func nanoseconds(_ seconds: Double) -> Int64 {
        let limit = Double(maximumDistance / 1000)
        return Int64(min(max(-limit, seconds * 1e6), limit).rounded()) * 1000
    }

    private static func duration(_ text: String, _ what: String) throws(WindowError) -> Int64 {
        guard let number = Double(text), number.isFinite, number >= 0, number < 1e9 else {
            throw WindowError("\(what) must be a number of seconds, not “\(text)”")
        }
        return nanoseconds(number)
    }

    // MARK: - Granted windows

    /// Returns the filename of a granted window in a track's folder.
    package static func name(from: Int64, to: Int64?) -> String {
        "span-\(from)" + (to.map { "-\($0)" } ?? "") + ".m3u8"
    }

    /// Parses the filename of a granted window; returns nil for any other name.
    package init?(granted name: String) {
        guard name.hasPrefix("span-"), name.hasSuffix(".m3u8") else { return nil }
        let numbers = name.dropFirst(5).dropLast(5).split(separator: "-", omittingEmptySubsequences: false).map {
            part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(part) : nil
        }
        guard (1...2).contains(numbers.count), let from = numbers[0] else { return nil }
        let to = numbers.count == 2 ? numbers[1] : nil
        guard numbers.count == 1 || to ?? .min > from else { return nil }
        self = .span(from: from, to: to)
    }
}

/// An error in a request for a window.
package struct WindowError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
