/// An exact decimal number (RFC 8216bis §4.2). `10.000` preserves its digits, but equals `10`.
public struct DecimalValue: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// All digits as an integer: 9009 for 9.009.
    public let significand: Int64
    /// The number of digits after the point, from 0 to 18: 3 for 9.009.
    public let fractionDigits: UInt8

    /// Zero.
    public static let zero = DecimalValue(significand: 0, fractionDigits: 0)

    /// Creates a number. `fractionDigits` is clamped to 18.
    public init(significand: Int64, fractionDigits: UInt8) {
        self.significand = significand
        self.fractionDigits = min(fractionDigits, 18)
    }

    /// Creates a number from an integer.
    public init(_ integer: Int) { self.init(significand: Int64(integer), fractionDigits: 0) }

    /// Creates a number of seconds from nanoseconds, without trailing zeros: 10, 9.009.
    public init(nanoseconds: Int64) {
        var significand = nanoseconds
        var digits: UInt8 = 9
        while digits > 0, significand % 10 == 0 {
            significand /= 10
            digits -= 1
        }
        self.init(significand: significand, fractionDigits: digits)
    }

    /// Parses `10`, `9.009`, `-1.5`, `+1.5`, `.5` or `10.`. Returns nil for other text and integers beyond 64 bits.
    public init?(_ text: String) {
        let value = text.withBytes { bytes -> DecimalValue? in
            guard let number = DecimalValue.read(bytes, 0..<bytes.count), number.end == bytes.count else { return nil }
            return number.value
        }
        guard let value else { return nil }
        self = value
    }

    /// The number as a `Double`, which may not be exact.
    public var doubleValue: Double { Double(significand) / DecimalValue.doublePowers[Int(fractionDigits)] }

    /// The number multiplied by 10⁹, rounded half away from zero and clamped to 64 bits: a duration in nanoseconds.
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

    /// The integer part.
    public var truncated: Int { Int(clamping: significand / DecimalValue.powers[Int(fractionDigits)]) }

    /// The nearest integer, rounded half away from zero. Target durations are compared with it (RFC 8216bis §4.4.3.1).
    public var rounded: Int {
        let power = DecimalValue.powers[Int(fractionDigits)]
        let (quotient, rest) = significand.quotientAndRemainder(dividingBy: power)
        return Int(
            clamping: rest.magnitude * 2 >= power.magnitude && rest != 0 ? quotient + significand.signum() : quotient)
    }

    /// The number, rounded up to an integer.
    public var roundedUp: Int {
        let (quotient, rest) = significand.quotientAndRemainder(dividingBy: DecimalValue.powers[Int(fractionDigits)])
        return Int(clamping: rest > 0 ? quotient + 1 : quotient)
    }

    /// The number in decimal notation.
    public var description: String {
        guard fractionDigits > 0 else { return String(significand) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { digits in
            // Digits are written from the last to the first, with at least one before the point.
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

    /// Returns whether two numbers have the same value, regardless of trailing zeros.
    public static func == (left: DecimalValue, right: DecimalValue) -> Bool {
        if left.fractionDigits == right.fractionDigits { return left.significand == right.significand }
        return left.scaled == right.scaled
    }

    /// Returns whether the left number has the lower value.
    public static func < (left: DecimalValue, right: DecimalValue) -> Bool {
        left.fractionDigits == right.fractionDigits ? left.significand < right.significand : left.scaled < right.scaled
    }

    /// Hashes the value. `10` and `10.000` have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(scaled) }

    /// The value multiplied by 10¹⁸. The product of a 64-bit number and 10¹⁸ fits into 128 bits.
    private var scaled: Int128 { Int128(significand) * Int128(DecimalValue.powers[18 - Int(fractionDigits)]) }

    static let powers: [Int64] = (0...18).map { (0..<$0).reduce(into: 1) { power, _ in power *= 10 } }
    private static let doublePowers: [Double] = powers.map { Double($0) }
}

extension DecimalValue {
    /// Reads the number at the beginning of a range, and returns it with the position after it. Returns nil if there is
    /// none or its integer part exceeds 64 bits. Fraction digits that exceed 18 digits or 64 bits are ignored.
    @inline(__always)
    static func read(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> (value: DecimalValue, end: Int)? {
        var index = range.lowerBound
        let end = range.upperBound
        var isNegative = false
        if index < end, bytes[index] == .minus || bytes[index] == .plus {
            isNegative = bytes[index] == .minus
            index &+= 1
        }
        var significand: Int64 = 0
        var digits = 0
        while index < end, bytes[index].isDigit {
            let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(bytes[index] &- .zero))
            if overflow || carry { return nil }
            significand = sum
            digits &+= 1
            index &+= 1
        }
        var fraction: UInt8 = 0
        if index < end, bytes[index] == .dot {
            index &+= 1
            var isFull = false
            while index < end, bytes[index].isDigit {
                if !isFull {
                    let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
                    let (sum, carry) = product.addingReportingOverflow(Int64(bytes[index] &- .zero))
                    isFull = overflow || carry || fraction == 18
                    if !isFull {
                        significand = sum
                        fraction &+= 1
                    }
                }
                digits &+= 1
                index &+= 1
            }
        }
        guard digits > 0 else { return nil }
        return (DecimalValue(significand: isNegative ? -significand : significand, fractionDigits: fraction), index)
    }
}
