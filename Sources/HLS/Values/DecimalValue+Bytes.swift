extension DecimalValue {
    /// Reads the number that a range of bytes begins with.
    ///
    /// Digits past the 18th of the fraction are dropped; a whole part past 64 bits is no number.
    /// - Returns: the number and where it ends; nil where none begins.
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
