/// The answer of `GET /api/v1/channels/<name>/programmes`.
public struct ProgrammeList: Codable, Sendable, Hashable {
    /// The programmes, in the order in which they were made.
    public var programmes: [ProgrammeRecord]

    /// Creates a list.
    public init(programmes: [ProgrammeRecord]) {
        self.programmes = programmes
    }
}
