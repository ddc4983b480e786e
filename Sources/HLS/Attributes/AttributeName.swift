/// The name of an attribute (RFC 8216bis §4.2): upper-case letters, digits and hyphens.
public struct AttributeName: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as written in playlists.
    public var rawValue: String

    /// Creates a name, including one that the RFC doesn't define.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name as written in playlists.
    public var description: String { rawValue }
}

extension AttributeName {
    static let assetList: AttributeName = "X-ASSET-LIST"
    static let assetURI: AttributeName = "X-ASSET-URI"
    static let audio: AttributeName = "AUDIO"
    static let averageBandwidth: AttributeName = "AVERAGE-BANDWIDTH"
    static let bandwidth: AttributeName = "BANDWIDTH"
    static let byteRange: AttributeName = "BYTERANGE"
    static let codecs: AttributeName = "CODECS"
    static let duration: AttributeName = "DURATION"
    static let groupID: AttributeName = "GROUP-ID"
    static let identifier: AttributeName = "ID"
    static let instreamID: AttributeName = "INSTREAM-ID"
    static let iv: AttributeName = "IV"
    static let keyFormat: AttributeName = "KEYFORMAT"
    static let keyFormatVersions: AttributeName = "KEYFORMATVERSIONS"
    static let language: AttributeName = "LANGUAGE"
    static let method: AttributeName = "METHOD"
    static let name: AttributeName = "NAME"
    static let pathwayID: AttributeName = "PATHWAY-ID"
    static let resolution: AttributeName = "RESOLUTION"
    static let serverURI: AttributeName = "SERVER-URI"
    static let type: AttributeName = "TYPE"
    static let uri: AttributeName = "URI"
    static let value: AttributeName = "VALUE"
    static let video: AttributeName = "VIDEO"
}
