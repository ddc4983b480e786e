/// Reads ISO 8601 dates and times: `2010-02-19T14:54:23.031+08:00`, with a blank or a lower-case `t` for the `T`, a
/// zone as `Z`, `+08:00`, `+0800` or `+08`, or none.
struct DateTimeReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    func nanoseconds() -> Int64? {
        var reader = self
        return reader.read()
    }

    private mutating func read() -> Int64? {
        guard let year = number(4), skip(.minus), let month = number(2), skip(.minus), let day = number(2),
            (1...12).contains(month), (1...DateTimeReader.daysIn(month, of: year)).contains(day),
            skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) || skip(.space),
            let hour = number(2), skip(.colon), let minute = number(2), hour < 24, minute < 60
        else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if skip(.colon) {
            // 60 is a leap second (RFC 3339, section 5.6).
            guard let read = number(2), read <= 60 else { return nil }
            second = read
            if skip(.dot) || skip(.comma) {
                guard let digits = fractionDigits() else { return nil }
                fraction = digits
            }
        }
        guard let zone = zone(), index == bytes.count else { return nil }
        let seconds = DateTimeReader.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - zone
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = product.addingReportingOverflow(fraction)
        return overflow || carry ? nil : sum
    }

    /// Seconds east of UTC.
    private mutating func zone() -> Int64? {
        if index == bytes.count || skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
        let sign: Int64
        if skip(.plus) { sign = 1 } else if skip(.minus) { sign = -1 } else { return nil }
        guard let hours = number(2) else { return nil }
        if index == bytes.count { return sign * hours * 3600 }
        _ = skip(.colon)
        guard let minutes = number(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func number(_ width: Int) -> Int64? {
        guard index + width <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[index..<(index + width)] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int64(byte - .zero)
        }
        index += width
        return value
    }

    /// The fraction in nanoseconds; finer digits are dropped.
    private mutating func fractionDigits() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while index < bytes.count, bytes[index].isDigit {
            if count < 9 { value = value * 10 + Int64(bytes[index] - .zero) }
            count += 1
            index += 1
        }
        guard count > 0 else { return nil }
        while count < 9 {
            value *= 10
            count += 1
        }
        return value
    }

    private static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days since 1970-01-01 of a date of the Gregorian calendar: years begin in March, so that the leap day is last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.flooredDivision(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a number of days since 1970-01-01.
    static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
