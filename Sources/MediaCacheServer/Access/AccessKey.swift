import Crypto
import Foundation

/// The secret of the API's `Authorization` header. 192 random bits. No URL that is given to a player holds it.
///
/// Its description hides it, so that no log shows it; ``value`` is the secret itself.
public struct AccessKey: Sendable, Hashable {
    /// The key as it is written: letters, digits, `-` and `_`.
    public let value: String

    /// Makes a new key from the system's secure source of randomness.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    init(using generator: inout some RandomNumberGenerator) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bytes: [UInt8] = []
        for _ in 0..<4 {
            // Eight characters of six bits from each word.
            var word = generator.next()
            for _ in 0..<8 {
                bytes.append(alphabet[Int(word & 63)])
                word >>= 6
            }
        }
        value = String(decoding: bytes, as: UTF8.self)
    }

    /// Takes a key as it was written; nil if it is too short to be safe (22 characters are 132 bits) or holds other
    /// characters.
    public init?(_ text: String) {
        let isKey = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
            default: false
            }
        }
        guard isKey, (22...128).contains(text.utf8.count) else { return nil }
        value = text
    }

    /// Whether `candidate` is this key. The time it takes doesn't depend on where they differ.
    public func matches(_ candidate: some StringProtocol) -> Bool {
        value.isEqualInConstantTime(to: candidate)
    }

    /// Returns the standing playback token of this key: a message authentication code, from which the key can't be found.
    ///
    /// - Parameter revocations: the number of its predecessors that were revoked.
    func standingToken(afterRevocations revocations: Int) -> String {
        base64URL(
            Data(
                HMAC<SHA256>.authenticationCode(
                    for: Data("standing playback token \(revocations)".utf8),
                    using: SymmetricKey(data: Data(value.utf8)))))
    }

    /// A name of 72 of its bits, for a key that is used for nothing else.
    var id: String { String(value.prefix(12)).replacing("_", with: "0").replacing("-", with: "1") }
}

extension StringProtocol {
    /// Whether both texts have the same bytes. The time depends on their lengths alone.
    func isEqualInConstantTime(to other: some StringProtocol) -> Bool {
        var difference = UInt8(utf8.count == other.utf8.count ? 0 : 1)
        let isContiguous: Void? = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { theirs in
                for index in 0..<Swift.min(mine.count, theirs.count) { difference |= mine[index] ^ theirs[index] }
            }
        } ?? nil
        if isContiguous == nil { for (mine, theirs) in zip(utf8, other.utf8) { difference |= mine ^ theirs } }
        return difference == 0
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the key.
    public var description: String { "<access key>" }

    /// Never the key.
    public var debugDescription: String { description }

    /// Never the key.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<(label: String?, value: Any)>()) }
}
