internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// The result of probing a URL, the response to `POST /api/v1/probe`: the fields of `MediaProbe`, plus the library's
/// title and asset.
public struct ProbeRecord: Sendable, Hashable {
    /// The probe's result.
    public var probe: MediaProbe
    /// The title that a download would get.
    public var title: String?
    /// The ID of the asset with this URL; null if there is none.
    public var asset: String?

    /// Creates a record.
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

    /// Decodes a record from a single JSON object.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        probe = try MediaProbe(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        asset = try container.decodeIfPresent(String.self, forKey: .asset)
    }

    /// Encodes the record as a single JSON object.
    public func encode(to encoder: any Encoder) throws {
        try probe.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(asset, forKey: .asset)
    }
}

/// The body of `POST /api/v1/probe`.
public struct ProbeRequest: Codable, Sendable, Hashable {
    /// The URL of a file, or of a multivariant or media playlist.
    public var url: String
    /// Header fields for the URL's origin, by name.
    public var headers: [String: String]?
    /// The selected variants, as in ``DownloadAddition/variant``.
    public var variant: String?
    /// The selected audio, as in ``DownloadAddition/audio``.
    public var audio: String?
    /// The selected subtitles, as in ``DownloadAddition/subtitles``.
    public var subtitles: String?

    /// Creates a request.
    public init(url: String, headers: [String: String]? = nil) {
        self.url = url
        self.headers = headers
    }
}

extension APIClient {
    /// Probes a URL. Only data that playback of the URL would cache is cached.
    ///
    /// - Parameters:
    ///   - url: The URL of a file or playlist. Any user information in it is sent to the server.
    ///   - headers: Header fields for its origin, by name.
    ///   - selection: The selection that `MediaProbe.selected` describes; nil for none.
    public func probe(
        _ url: ResourceURL, headers: [String: String]? = nil, selection: StreamSelection? = nil
    ) async throws -> ProbeRecord {
        var request = ProbeRequest(url: Self.text(of: url), headers: headers)
        request.variant = selection?.variants.text
        request.audio = selection?.audio.text
        request.subtitles = selection?.subtitles.text
        return try await call(.post, "/api/v1/probe", content: try .json(request))
    }
}
