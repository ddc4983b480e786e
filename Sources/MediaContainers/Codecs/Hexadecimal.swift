/// Hexadecimal digits as codec strings and logs write them, in capitals.
enum Hexadecimal {
    /// Two digits.
    static func byte(_ value: UInt8) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
