/// An error as the API tells it: a problem details object (RFC 9457), sent as `application/problem+json`.
public struct Problem: Codable, Sendable, Hashable, Error {
    /// The kind of problem in a few words.
    public var title: String
    /// The HTTP status (RFC 9110 §15).
    public var status: Int
    /// What happened here, and what to do.
    public var detail: String
    /// What programs compare: a `CacheError.Code`, or one of the server's own, as `unauthorized`.
    public var code: String
    /// The status that an origin answered with, where that is the problem; else nil.
    public var originStatus: Int?
    /// What is kept of a recording, where a window of it lies outside; else nil.
    public var kept: [TimeSpan]?
    /// The methods that the path takes, where this one isn't among them; else nil.
    public var allowed: [String]?

    /// The media type of a problem details object.
    public static let contentType = "application/problem+json"

    /// Creates a problem.
    public init(title: String, status: Int, detail: String, code: String) {
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
    }
}
