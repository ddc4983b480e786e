/// The body of `POST /api/v1/channels/<name>/programmes`: keep a window.
public struct ProgrammeAddition: Codable, Sendable, Hashable {
    /// What to call it.
    public var name: String
    /// When it begins: as in a window's URL, milliseconds or seconds since 1970, ISO 8601, or seconds ago.
    public var from: String
    /// When it's over, likewise.
    public var to: String
    /// What it's exported as when it's over: `hls`, `mp4`, `3gp`. Null is nothing.
    public var formats: [String]?

    /// Creates a request.
    public init(name: String, from: String, to: String, formats: [String]? = nil) {
        self.name = name
        self.from = from
        self.to = to
        self.formats = formats
    }
}
