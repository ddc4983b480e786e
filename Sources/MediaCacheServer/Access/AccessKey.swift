/// The secret that stands in play URLs and in the API's `Authorization` header. 192 random bits.
///
/// Its description hides it, so that no log shows it; ``value`` is the secret itself.
public struct AccessKey: Sendable, Hashable {
    /// The key as it stands in URLs: letters, digits, `-` and `_`.
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
        var difference = UInt8(candidate.utf8.count == value.utf8.count ? 0 : 1)
        for (mine, theirs) in zip(value.utf8, candidate.utf8) { difference |= mine ^ theirs }
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
