/// A date and time in ISO 8601 (RFC 8216bis §4.4.4.6 and §4.4.5.1). Invalid text survives parsing and writing.
public struct DateTime: Sendable, Hashable, CustomStringConvertible {
    /// The text, without line ends and surrounding blanks.
    public let text: String
    /// The nanoseconds since 1970-01-01T00:00:00Z; nil if they exceed 64 bits, or if the text isn't a date and time. A
    /// time without a zone is in UTC.
    public let nanosecondsSinceEpoch: Int64?

    /// Creates a value from text, valid or not.
    public init(_ text: String) {
        let text = text.removing { $0 == .lineFeed || $0 == .carriageReturn }.trimmedBlanks
        self.text = text
        var reader = DateTimeReader(text)
        nanosecondsSinceEpoch = reader.nanoseconds()
    }

    /// Creates a value. Its text is in UTC, with milliseconds, or with nanoseconds if milliseconds aren't exact.
    public init(nanosecondsSinceEpoch: Int64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
        text = DateTime.format(nanosecondsSinceEpoch)
    }

    /// The seconds since 1970-01-01T00:00:00Z, with the precision of a `Double`; nil if ``nanosecondsSinceEpoch`` is.
    public var secondsSinceEpoch: Double? { nanosecondsSinceEpoch.map { Double($0) / 1e9 } }

    /// The ``text``.
    public var description: String { text }

    private static func format(_ nanoseconds: Int64) -> String {
        let (seconds, fraction) = nanoseconds.flooredDivision(by: 1_000_000_000)
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let (year, month, day) = DateTimeReader.civil(days)
        let digits = fraction % 1_000_000 == 0 ? pad(fraction / 1_000_000, 3) : pad(fraction, 9)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):"
            + "\(pad(second % 60, 2)).\(digits)Z"
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// A reader of ISO 8601 dates and times, such as `2010-02-19T14:54:23.031+08:00`.
/// The `T` may be a `t` or a space, the zone is `Z`, `z`, `+08:00`, `+0800`, `+08` or absent, and seconds are optional.
struct DateTimeReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func nanoseconds() -> Int64? {
        guard let year = number(4), skip(.minus), let month = number(2), skip(.minus), let day = number(2),
            (1...12).contains(month), (1...DateTimeReader.daysIn(month, of: year)).contains(day),
            skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) || skip(.space),
            let hour = number(2), skip(.colon), let minute = number(2), hour < 24, minute < 60
        else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if skip(.colon) {
            // 60 is a leap second (RFC 3339 §5.6).
            guard let number = number(2), number <= 60 else { return nil }
            second = number
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

    /// Reads the zone as seconds east of UTC.
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

    /// Reads a fraction of a second in nanoseconds. Digits after the ninth are ignored.
    private mutating func fractionDigits() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while index < bytes.count, bytes[index].isDigit {
            if count < 9 { value = value * 10 + Int64(bytes[index] - .zero) }
            count += 1
            index += 1
        }
        return count > 0 ? value * DecimalValue.powers[max(0, 9 - count)] : nil
    }

    private static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Returns the days since 1970-01-01. Years begin in March, so that the leap day is the last day.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.flooredDivision(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

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
