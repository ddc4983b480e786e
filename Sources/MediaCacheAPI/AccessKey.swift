/// The secret for the API's `Authorization` header. It is never part of a playback URL, and ``description`` omits it.
public struct AccessKey: Sendable, Hashable {
    /// The secret: letters, digits, `-` and `_`.
    public let value: String

    /// Creates a key of 192 random bits from the system's secure generator.
    public init() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bytes: [UInt8] = []
        for _ in 0..<4 {
            // Each word yields eight characters of six bits.
            var word = generator.next()
            for _ in 0..<8 {
                bytes.append(alphabet[Int(word & 63)])
                word >>= 6
            }
        }
        value = String(decoding: bytes, as: UTF8.self)
    }

    /// Creates a key from its text, 22 (132 bits) to 128 letters, digits, `-` and `_`; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy(\.isNameByte), (22...128).contains(text.utf8.count) else { return nil }
        value = text
    }

    /// Returns whether `candidate` is this key, in a time that doesn't depend on where they differ.
    public func matches(_ candidate: some StringProtocol) -> Bool { value.isEqualInConstantTime(to: candidate) }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit, a hyphen or an underscore.
    package var isNameByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}

extension StringProtocol {
    /// Returns whether both strings have the same bytes, in a time that depends only on their lengths.
    // Inlinable, so that the comparison for each request is specialized.
    @inlinable
    package func isEqualInConstantTime(to other: some StringProtocol) -> Bool {
        var difference = UInt8(utf8.count == other.utf8.count ? 0 : 1)
        let isContiguous: Void? =
            utf8.withContiguousStorageIfAvailable { mine in
                other.utf8.withContiguousStorageIfAvailable { theirs in
                    for index in 0..<Swift.min(mine.count, theirs.count) { difference |= mine[index] ^ theirs[index] }
                }
            } ?? nil
        if isContiguous == nil { for (mine, theirs) in zip(utf8, other.utf8) { difference |= mine ^ theirs } }
        return difference == 0
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder without the secret.
    public var description: String { "<access key>" }

    /// A placeholder without the secret.
    public var debugDescription: String { description }

    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<(label: String?, value: Any)>()) }
}
