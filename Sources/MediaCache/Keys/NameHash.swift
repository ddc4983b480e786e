/// Stands for a name where the name itself may not stand, or can't. FNV-1a of 128 bits: that two names are different
/// is all it has to tell.
struct NameHash: Sendable, Hashable, CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    let description: String

    init(_ name: String) {
        let hash = name.utf8.reduce(0x6C62_272E_07BB_0142_62B8_2175_6295_C58D as UInt128) { hash, byte in
            (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        let digits = String(hash, radix: 16)
        description = String(repeating: "0", count: Self.length - digits.count) + digits
    }

    /// Digits that each has.
    static let length = 32
}
