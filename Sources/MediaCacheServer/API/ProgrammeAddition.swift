/// The body of `POST /api/v1/channels/<name>/programmes`: keep a window.
public struct ProgrammeAddition: Codable, Sendable, Hashable {
    /// What to call it.
    public var name: String
    /// When it begins: as in a window's URL, milliseconds or seconds since 1970, ISO 8601, or seconds ago.
    public var from: String
    /// When it's over, likewise.
    public var to: String

    /// Creates a request.
    public init(name: String, from: String, to: String) {
        self.name = name
        self.from = from
        self.to = to
    }
}
