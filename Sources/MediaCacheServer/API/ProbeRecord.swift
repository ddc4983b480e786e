public import MediaLibrary

/// What a URL is, as `POST /api/v1/probe` tells: the fields of `MediaProbe`, and what the library has of it beside them.
public struct ProbeRecord: Sendable, Hashable {
    /// What was found out.
    public var probe: MediaProbe
    /// What it would be called.
    public var title: String?
    /// The asset of the library that begins there, if there is one.
    public var asset: String?

    /// Puts them together.
    public init(_ probe: MediaProbe, title: String?, asset: String?) {
        self.probe = probe
        self.title = title
        self.asset = asset
    }
}

extension ProbeRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case title
        case asset
    }

    /// Reads one object.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        probe = try MediaProbe(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        asset = try container.decodeIfPresent(String.self, forKey: .asset)
    }

    /// Writes one object.
    public func encode(to encoder: any Encoder) throws {
        try probe.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(asset, forKey: .asset)
    }
}
