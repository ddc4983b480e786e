package import Foundation

/// Dates in HTTP fields (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats a time in seconds since 1970 as an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func format(_ seconds: Int64) -> String {
        let day = Int64((Double(seconds) / 86400).rounded(.down))
        let second = seconds - day * 86400
        let (year, month, date) = civil(day)
        let weekday = days[Int(((day % 7) + 7) % 7)]
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        return "\(weekday), \(two(date)) \(months[Int(month) - 1]) \(year) \(time) GMT"
    }

    /// Converts a date to the form that senders must use (IMF-fixdate); returns nil if the text isn't a date.
    package static func canonical(_ text: String) -> String? {
        isCanonical(text) ? text : parse(text).map { format(Int64($0.timeIntervalSince1970)) }
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
        let clock = time.split(separator: ":").compactMap { Int($0) }
        guard let day = Int(day), (1...31).contains(day), let monthIndex = months.firstIndex(of: month),
            var fullYear = Int(year), (0...9999).contains(fullYear), clock.count == 3, (0...23).contains(clock[0]),
            (0...59).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        if fullYear < 100 { fullYear += fullYear < 70 ? 2000 : 1900 }
        let days = daysSinceEpoch(year: fullYear, month: monthIndex + 1, day: day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]))
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// Returns the proleptic Gregorian date of a day counted from 1970-01-01. Internally, years begin in March, so that
    /// the leap day is the last one.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, date: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Returns the number of days since 1970-01-01 in the proleptic Gregorian calendar.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
