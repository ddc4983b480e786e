/// The extended type of a `uuid` box: 16 bytes (ISO/IEC 14496-12, 4.2).
public struct UserType: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Creates a type from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hexadecimal in the usual groups (8-4-4-4-12).
    public var description: String {
        func hex(_ value: UInt64) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let all = hex(high) + hex(low)
        var text = ""
        for (index, digit) in all.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// PIFF's sample encryption box, which `senc` replaced.
    static let piffSampleEncryption = UserType(high: 0xA239_4F52_5A9B_4F14, low: 0xA244_6C42_7C64_8DF4)
    /// PIFF's track encryption box, which `tenc` replaced.
    static let piffTrackEncryption = UserType(high: 0x8974_DBCE_7BE7_4C51, low: 0x84F9_7148_F988_2554)
    /// PIFF's protection system header, which `pssh` replaced.
    static let piffProtectionHeader = UserType(high: 0xD08A_4F18_10F3_4A82, low: 0xB6C8_32D8_ABA1_83D3)
}
