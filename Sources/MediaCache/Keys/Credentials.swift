import Foundation

/// A user name and password, for example in the user information of a URL (RFC 3986 §3.2.1).
///
/// The description is redacted, so that logs don't contain credentials.
package struct Credentials: Sendable, Hashable {
    package let user: String
    /// The password; nil if there is only a user name.
    package let password: String?

    package var identity: ProfileIdentity { ProfileIdentity(user: user) }

    /// The value of `Authorization` (RFC 7617 §2).
    package var authorization: String {
        "Basic \(Data("\(user):\(password ?? "")".utf8).base64EncodedString())"
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<credentials>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<(label: String?, value: Any)>()) }
}

extension Credentials {
    /// Parses user information as written in a URL.
    package init(userInfo: String) {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? String($0) }
        self.init(user: parts[0], password: parts.count > 1 ? parts[1] : nil)
    }
}

extension ResourceURL {
    package var credentials: Credentials? { userInfo.map(Credentials.init(userInfo:)) }
}

/// An identifier that distinguishes the users of an origin in cache keys and play URLs without containing their names.
///
/// It's a hash of the user's name only, so that cached content remains accessible after a change of the password. It
/// isn't a secret and doesn't authenticate the user.
public struct ProfileIdentity: Sendable, Hashable, LosslessStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public let description: String

    /// Creates the identity of a user.
    public init(user: String) {
        description = NameHash(user).description
    }

    /// Parses a ``description``; returns nil for any other text.
    public init?(_ description: String) {
        let isHexadecimal = description.utf8.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
        guard isHexadecimal, description.utf8.count == NameHash.length else { return nil }
        self.description = description
    }
}

/// A 128-bit FNV-1a hash, not cryptographically secure, of a user's name or of a path that is used in a file name.
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

    /// The number of digits.
    static let length = 32
}
