public import MediaCache
public import MediaLibrary

/// How much is kept, as `GET /api/v1/usage` gives it: the fields of `Usage`, and those of the covers beside them.
public struct UsageRecord: Sendable, Hashable {
    /// What the store holds.
    public var usage: Usage
    /// The pictures that are kept with assets. They don't count towards the limit.
    public var covers: CoverUsage

    /// Puts them together.
    public init(_ usage: Usage, covers: CoverUsage) {
        self.usage = usage
        self.covers = covers
    }
}

extension UsageRecord: Codable {
    private enum CodingKeys: String, CodingKey {
        case covers
        case coverBytes
    }

    /// Reads one object.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        usage = try Usage(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        covers = CoverUsage(
            covers: try container.decode(Int.self, forKey: .covers),
            bytes: try container.decode(Int64.self, forKey: .coverBytes))
    }

    /// Writes one object.
    public func encode(to encoder: any Encoder) throws {
        try usage.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(covers.covers, forKey: .covers)
        try container.encode(covers.bytes, forKey: .coverBytes)
    }
}
