package import Foundation

/// Dates in HTTP fields (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats a time in seconds since 1970 as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func format(_ seconds: Int64) -> String {
        var (seconds, date) = (time_t(seconds), tm())
        gmtime_r(&seconds, &date)
        let time = "\(two(date.tm_hour)):\(two(date.tm_min)):\(two(date.tm_sec))"
        let month = months[Int(date.tm_mon)]
        return "\(days[Int(date.tm_wday)]), \(two(date.tm_mday)) \(month) \(date.tm_year + 1900) \(time) GMT"
    }

    /// Converts a date to an IMF-fixdate; returns nil if the text isn't a date, or its year doesn't have four digits.
    package static func canonical(_ text: String) -> String? {
        guard !isCanonical(text) else { return text }
        return parse(text).map { format(Int64($0.timeIntervalSince1970)) }.flatMap { isCanonical($0) ? $0 : nil }
    }

    /// Returns whether a text is an IMF-fixdate. Nearly all dates are, so this avoids parsing them.
    private static func isCanonical(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, days.contains(where: { text.hasPrefix($0) }) else { return false }
        let pattern = Array("xxx, 00 xxx 0000 00:00:00 GMT".utf8)
        let hasForm = zip(bytes, pattern).allSatisfy { byte, expected in
            switch expected {
            case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
            case UInt8(ascii: "x"): true
            default: byte == expected
            }
        }
        guard hasForm, months.contains(where: { $0.utf8.elementsEqual(bytes[8..<11]) }) else { return false }
        func number(_ index: Int) -> Int { Int(bytes[index] - 0x30) * 10 + Int(bytes[index + 1] - 0x30) }
        return (1...31).contains(number(5)) && number(17) < 24 && number(20) < 60 && number(23) <= 60
    }

    /// Parses a date in any of the three forms: IMF-fixdate, RFC 850 and asctime.
    package static func parse(_ text: String) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT | Sunday, 06-Nov-94 08:49:37 GMT | Sun Nov  6 08:49:37 1994
        // A list, as from repeated fields, isn't a date.
        guard (5...6).contains(words.count) else { return nil }
        let isASCTime = months.contains(words[1])
        let (day, month, year, time) =
            isASCTime ? (words[2], words[1], words[4], words[3]) : (words[1], words[2], words[3], words[4])
        let clock = time.split(separator: ":").compactMap { Int32($0) }
        guard let day = Int32(day), (1...31).contains(day), let month = months.firstIndex(of: month),
            let year = Int32(year), (0...9999).contains(year), clock.count == 3, (0...23).contains(clock[0]),
            (0...59).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        var date = tm()
        date.tm_year = year < 70 ? year + 100 : year < 100 ? year : year - 1900
        (date.tm_mon, date.tm_mday) = (Int32(month), day)
        (date.tm_hour, date.tm_min, date.tm_sec) = (clock[0], clock[1], clock[2])
        return Date(timeIntervalSince1970: Double(timegm(&date)))
    }

    private static func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
