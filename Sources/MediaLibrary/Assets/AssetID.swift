/// The identifier of an asset in URLs: twelve random letters and digits.
///
/// A web page can find out whether a URL on this machine exists, so identifiers aren't derived from titles or URLs.
public struct AssetID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The identifier's text.
    public let rawValue: String

    private static let characters = Array("abcdefghijklmnopqrstuvwxyz234567")
    private static let length = 12

    /// Creates an identifier from text; nil if the text doesn't have the form of an identifier.
    public init?(rawValue: String) {
        guard rawValue.count == Self.length, rawValue.allSatisfy(Self.characters.contains) else { return nil }
        self.rawValue = rawValue
    }

    /// Creates a random identifier.
    public init() {
        rawValue = String((0..<Self.length).map { _ in Self.characters[Int.random(in: 0..<Self.characters.count)] })
    }

    /// The identifier's text.
    public var description: String { rawValue }
}

extension AssetID: Codable {
    /// Reads an identifier.
    ///
    /// - Throws: `DecodingError` if the text doesn't have the form of an identifier.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = AssetID(rawValue: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an asset identifier")
        }
        self = id
    }

    /// Writes the identifier's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
