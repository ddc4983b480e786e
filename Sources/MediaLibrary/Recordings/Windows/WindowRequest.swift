internal import Foundation
import HLS
internal import MediaCache

/// Which piece of a recording somebody asks for, in any of the forms that people write it in.
package enum WindowRequest: Sendable, Hashable {
    /// The live edge, with at most so many nanoseconds before it; nil is a window that suits players.
    case live(Int64?)
    /// The live edge as it was so many nanoseconds before the stream's present, always.
    case delayed(Int64)
    /// From a moment to another, or on and on where there is none; nanoseconds since 1970.
    case span(from: Int64, to: Int64?)
    /// All that is kept, as it is at this moment.
    case all

    private static let second: Int64 = 1_000_000_000
    /// Numbers from here on are milliseconds: as seconds they would be the year 5138.
    private static let leastMilliseconds = 1e11
    /// Moments up to this far from 1970 are told apart: sums of two stay within 64 bits.
    private static let furthest = 4_000_000_000 * second

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - name: the playlist's name in its folder: `index.m3u8`, `archive-<utc>-<duration>.m3u8` and the like.
    ///   - query: the items of the query. Those with other names are left alone.
    ///   - now: the stream's present (``Recording/present``), in nanoseconds since 1970.
    /// - Throws: ``WindowError`` for a form that makes no sense; nil for another name.
    package init?(name: String, query: [(name: String, value: String)], now: Int64) throws(WindowError) {
        guard name.hasSuffix(".m3u8") else { return nil }
        let stem = name.dropLast(5)
        switch stem {
        case "index": self = try Self.queried(query, now)
        case "all": self = .all
        case "thumbnails": self = try Self.queried(query, now)
        case _ where stem.hasPrefix("archive-"):
            let parts = stem.dropFirst(8).split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw WindowError("“\(name)” isn't archive-<utc>-<seconds>.m3u8") }
            let from = try Self.moment(String(parts[0]), "the beginning", now)
            if parts[1] == "now" {
                self = .span(from: from, to: nil)
            } else {
                self = try Self.span(from, try Self.duration(String(parts[1]), "the duration"))
            }
        case _ where stem.hasPrefix("timeshift_abs-"):
            self = .span(from: try Self.moment(String(stem.dropFirst(14)), "the moment", now), to: nil)
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
            // `utc` comes with `lutc`, the client's present, which the server knows better.
            case "begintime", "start", "from", "utc": from = try single(from, value, name)
            case "endtime", "end", "to": to = try single(to, value, name)
            case "duration": duration = try single(duration, value, name)
            case "window": window = try single(window, value, name)
            default: continue
            }
        }
        if let window {
            guard from == nil, to == nil, duration == nil else {
                throw WindowError("a window before the live edge has no begintime, endtime or duration besides")
            }
            return .live(try Self.duration(window, "window"))
        }
        guard let from else {
            guard to == nil, duration == nil else {
                throw WindowError("an end needs a beginning; add begintime=<time>")
            }
            return .live(nil)
        }
        guard to == nil || duration == nil else { throw WindowError("there are both an end and a duration; give one") }
        let start = try moment(from, "begintime", now)
        if let duration { return try span(start, try Self.duration(duration, "duration")) }
        guard let to, to != "now" else { return .span(from: start, to: nil) }
        let end = try moment(to, "endtime", now)
        guard end > start else { throw WindowError("the end isn't after the beginning") }
        return .span(from: start, to: end)
    }

    private static func single(_ known: String?, _ value: String, _ name: String) throws(WindowError) -> String {
        guard known == nil else { throw WindowError("“\(name)” says again what was said before") }
        return value
    }

    private static func span(_ from: Int64, _ duration: Int64) throws(WindowError) -> WindowRequest {
        guard duration > 0 else { throw WindowError("the duration isn't longer than 0") }
        return .span(from: from, to: from.clampedSum(duration))
    }

    /// A moment in nanoseconds since 1970: of seconds or milliseconds since 1970, ISO 8601, `now`, or seconds before `now`
    /// where it's negative.
    ///
    /// - Throws: ``WindowError`` for other text.
    package static func moment(_ text: String, _ what: String, _ now: Int64) throws(WindowError) -> Int64 {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text == "now" { return now }
        if let number = Double(text), number.isFinite {
            guard abs(number) < 1e16 else { throw WindowError("\(what) “\(text)” lies outside all times") }
            if text.hasPrefix("-") { return now.clampedSum(nanoseconds(number)) }
            return number >= leastMilliseconds ? nanoseconds(number / 1000) : nanoseconds(number)
        }
        // In a query a plus sign is often a blank.
        if text.contains("T"), let moment = DateTime(text.replacing(" ", with: "+")).nanosecondsSinceEpoch {
            return min(max(-furthest, moment), furthest)
        }
        throw WindowError(
            "\(what) “\(text)” is no time: seconds or milliseconds since 1970, ISO 8601 such as "
                + "2026-01-31T20:15:00Z, or -<seconds> for so long ago")
    }

    /// Converts seconds to nanoseconds, to the microsecond, at most ``furthest``.
    private static func nanoseconds(_ seconds: Double) -> Int64 {
        let most = Double(furthest / 1000)
        return Int64(min(max(-most, seconds * 1e6), most).rounded()) * 1000
    }

    private static func duration(_ text: String, _ what: String) throws(WindowError) -> Int64 {
        guard let number = Double(text), number.isFinite, number >= 0, number < 1e9 else {
            throw WindowError("\(what) is a number of seconds, not “\(text)”")
        }
        return nanoseconds(number)
    }
}

extension WindowRequest {
    /// What a window that was granted is called in a track's folder.
    static func name(from: Int64, to: Int64?) -> String { "span-\(from)" + (to.map { "-\($0)" } ?? "") + ".m3u8" }

    /// The window of a name that an entry gave: it was granted then, and what of it has been given up since is no error.
    package init?(granted name: String) {
        guard name.hasPrefix("span-"), name.hasSuffix(".m3u8") else { return nil }
        let numbers = name.dropFirst(5).dropLast(5).split(separator: "-", omittingEmptySubsequences: false).map {
            part in
            part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(part) : nil
        }
        guard (1...2).contains(numbers.count), let from = numbers[0] else { return nil }
        guard numbers.count == 2 else {
            self = .span(from: from, to: nil)
            return
        }
        guard let to = numbers[1], to > from else { return nil }
        self = .span(from: from, to: to)
    }
}

/// What is wrong with a request for a window, in words.
package struct WindowError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The words.
    package let description: String

    init(_ description: String) { self.description = description }
}
