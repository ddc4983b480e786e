/// What people call a channel, and what stands in its URLs: 1 to 64 letters, digits, dots, hyphens and underscores of
/// ASCII, the first of which is no dot.
public struct ChannelName: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// A name; nil for what can't be one.
    public init?(rawValue: String) {
        let isRight = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isRight, (1...64).contains(rawValue.utf8.count), rawValue.utf8.first != UInt8(ascii: ".") else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// The name.
    public var description: String { rawValue }

    /// The order of names.
    public static func < (left: ChannelName, right: ChannelName) -> Bool { left.rawValue < right.rawValue }
}

extension ChannelName: Codable {
    /// Reads a name.
    ///
    /// - Throws: `DecodingError` for what can't be one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let name = ChannelName(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the name of a channel")
        }
        self = name
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
