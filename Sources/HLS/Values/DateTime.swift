/// A date and time as a playlist writes it (RFC 8216bis, sections 4.4.4.6 and 4.4.5.1: ISO 8601, as RFC 3339 has it).
///
/// The text is kept, so that one that can't be read survives too.
public struct DateTime: Sendable, Hashable, CustomStringConvertible {
    /// The text as it is written.
    public let text: String
    /// Nanoseconds since 1970-01-01T00:00:00Z; nil where the text is no date and time between the years 1678 and 2261.
    /// Without a time zone, UTC is assumed.
    public let nanosecondsSinceEpoch: Int64?

    /// Takes a text, readable or not. Line ends, and blanks around it, are dropped.
    public init(_ text: String) {
        let text = text.removing { $0 == .lineFeed || $0 == .carriageReturn }.trimmedBlanks
        self.text = text
        nanosecondsSinceEpoch = DateTimeReader(text).nanoseconds()
    }

    /// A moment, written in UTC to the millisecond, or finer where it has finer digits.
    public init(nanosecondsSinceEpoch: Int64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
        text = DateTime.format(nanosecondsSinceEpoch)
    }

    /// Seconds since 1970-01-01T00:00:00Z, with the precision of a binary number; see ``nanosecondsSinceEpoch``.
    public var secondsSinceEpoch: Double? {
        nanosecondsSinceEpoch.map { Double($0) / 1e9 }
    }

    /// The text as it is written.
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
