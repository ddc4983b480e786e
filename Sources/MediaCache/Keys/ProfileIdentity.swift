/// Tells one user of an origin from another, in cache keys and play URLs, without saying who it is.
///
/// It's made from the user's name alone and is the same after a restart: what is kept stays the user's when the
/// password changes. It's no secret, and proves nothing.
public struct ProfileIdentity: Sendable, Hashable, LosslessStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public let description: String

    /// The identity of the user with this name.
    public init(user: String) {
        // FNV-1a of 128 bits: that two names are different is all it has to tell.
        let hash = user.utf8.reduce(0x6C62_272E_07BB_0142_62B8_2175_6295_C58D as UInt128) { hash, byte in
            (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        let digits = String(hash, radix: 16)
        description = String(repeating: "0", count: Self.length - digits.count) + digits
    }

    /// Reads what ``description`` wrote; nil if it's something else.
    public init?(_ description: String) {
        let isHexadecimal = description.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
        guard isHexadecimal, description.utf8.count == Self.length else { return nil }
        self.description = description
    }

    /// Digits that each has.
    static let length = 32
}
