/// Tells one user of an origin from another, in cache keys and play URLs, without saying who it is.
///
/// It's made from the user's name alone and is the same after a restart: what is kept stays the user's when the
/// password changes. It's no secret, and proves nothing.
public struct ProfileIdentity: Sendable, Hashable, LosslessStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public let description: String

    /// The identity of the user with this name.
    public init(user: String) {
        description = NameHash(user).description
    }

    /// Reads what ``description`` wrote; nil if it's something else.
    public init?(_ description: String) {
        let isHexadecimal = description.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        }
        guard isHexadecimal, description.utf8.count == NameHash.length else { return nil }
        self.description = description
    }
}
