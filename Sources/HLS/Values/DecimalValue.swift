/// A decimal number as a playlist writes it: exact, with its digits kept (RFC 8216bis, section 4.2).
///
/// `9.009` stays `9.009` and `10.000` stays `10.000`; the two forms of ten compare equal.
public struct DecimalValue: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// All digits, as a whole number: 9009 for 9.009.
    public let significand: Int64
    /// How many of the digits stand after the point: 3 for 9.009. From 0 to 18.
    public let fractionDigits: UInt8

    /// Zero.
    public static let zero = DecimalValue(significand: 0, fractionDigits: 0)

    /// A number from its digits. More than 18 fraction digits are taken as 18.
    public init(significand: Int64, fractionDigits: UInt8) {
        self.significand = significand
        self.fractionDigits = min(fractionDigits, 18)
    }

    /// A whole number.
    public init(_ integer: Int) {
        self.init(significand: Int64(integer), fractionDigits: 0)
    }

    /// A number of nanoseconds as seconds, without needless zeros: 10, 9.009.
    public init(nanoseconds: Int64) {
        var significand = nanoseconds
        var digits: UInt8 = 9
        while digits > 0, significand % 10 == 0 {
            significand /= 10
            digits -= 1
        }
        self.init(significand: significand, fractionDigits: digits)
    }

    /// Reads a text that is a number and nothing else: `10`, `9.009`, `-1.5`, also `.5` and `10.`.
    public init?(_ text: String) {
        var text = text
        let value = text.withUTF8 { utf8 -> DecimalValue? in
            let bytes = UnsafeRawBufferPointer(utf8)
            guard let read = DecimalValue.read(bytes, 0..<bytes.count), read.end == bytes.count else { return nil }
            return read.value
        }
        guard let value else { return nil }
        self = value
    }

    /// The nearest binary number.
    public var doubleValue: Double {
        Double(significand) / DecimalValue.doublePowers[Int(fractionDigits)]
    }

    /// The number times 10⁹, rounded half away from zero, kept within 64 bits: a duration in nanoseconds.
    public var nanoseconds: Int64 {
        if fractionDigits <= 9 {
            let (product, overflow) = significand.multipliedReportingOverflow(
                by: DecimalValue.powers[9 - Int(fractionDigits)])
            return overflow ? (significand < 0 ? .min : .max) : product
        }
        let power = DecimalValue.powers[Int(fractionDigits) - 9]
        let (quotient, rest) = significand.quotientAndRemainder(dividingBy: power)
        return rest.magnitude * 2 >= power.magnitude ? quotient + significand.signum() : quotient
    }

    /// The whole part.
    public var truncated: Int {
        Int(clamping: significand / DecimalValue.powers[Int(fractionDigits)])
    }

    /// The nearest whole number, half away from zero: what a target duration is compared with (section 4.4.3.1).
    public var rounded: Int {
        let power = DecimalValue.powers[Int(fractionDigits)]
        let (quotient, rest) = significand.quotientAndRemainder(dividingBy: power)
        return Int(
            clamping: rest.magnitude * 2 >= power.magnitude && rest != 0 ? quotient + significand.signum() : quotient)
    }

    /// The smallest whole number that isn't less.
    public var roundedUp: Int {
        let (quotient, rest) = significand.quotientAndRemainder(dividingBy: DecimalValue.powers[Int(fractionDigits)])
        return Int(clamping: rest > 0 ? quotient + 1 : quotient)
    }

    /// The number as a playlist writes it.
    public var description: String {
        guard fractionDigits > 0 else { return String(significand) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { digits in
            // From the last digit to the first; a zero stands before the point.
            var rest = significand.magnitude
            var index = digits.count
            var written = 0
            while rest > 0 || written <= Int(fractionDigits) {
                if written == Int(fractionDigits) {
                    index -= 1
                    digits[index] = .dot
                }
                index -= 1
                digits[index] = .zero + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                written += 1
            }
            if significand < 0 {
                index -= 1
                digits[index] = .minus
            }
            return String(decoding: digits[index...], as: UTF8.self)
        }
    }

    /// Equal values are equal, however many zeros they are written with.
    public static func == (left: DecimalValue, right: DecimalValue) -> Bool {
        if left.fractionDigits == right.fractionDigits { return left.significand == right.significand }
        return left.scaled == right.scaled
    }

    /// By value.
    public static func < (left: DecimalValue, right: DecimalValue) -> Bool {
        left.fractionDigits == right.fractionDigits ? left.significand < right.significand : left.scaled < right.scaled
    }

    /// Feeds the value, which is the same for `10` and `10.000`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(scaled)
    }

    /// The value times 10¹⁸: 64 bits times 10¹⁸ always fit into 128.
    private var scaled: Int128 {
        Int128(significand) * Int128(DecimalValue.powers[18 - Int(fractionDigits)])
    }

    static let powers: [Int64] = (0...18).map { (0..<$0).reduce(into: 1) { power, _ in power *= 10 } }
    private static let doublePowers: [Double] = powers.map { Double($0) }
}
