/// What an asset is called in URLs: twelve letters and digits, made by chance.
///
/// A page elsewhere can have a browser ask this machine for anything, and so learn whether it's there; nobody can guess
/// this name from what the asset is.
public struct AssetID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    private static let characters = Array("abcdefghijklmnopqrstuvwxyz234567")
    private static let length = 12

    /// A name that came from outside; nil for what can't be one.
    public init?(rawValue: String) {
        guard rawValue.count == Self.length, rawValue.allSatisfy(Self.characters.contains) else { return nil }
        self.rawValue = rawValue
    }

    /// A new name, which no other asset has.
    public init() {
        rawValue = String((0..<Self.length).map { _ in Self.characters[Int.random(in: 0..<Self.characters.count)] })
    }

    /// The name.
    public var description: String { rawValue }
}

extension AssetID: Codable {
    /// Reads a name.
    ///
    /// - Throws: `DecodingError` for what can't be one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = AssetID(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the name of an asset")
        }
        self = id
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
