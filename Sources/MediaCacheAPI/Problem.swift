/// An error of the API: a problem details object (RFC 9457), sent as `application/problem+json`.
public struct Problem: Codable, Sendable, Hashable, Error {
    /// The kind of problem in a few words.
    public var title: String
    /// The HTTP status (RFC 9110 §15).
    public var status: Int
    /// The description of this occurrence, including advice.
    public var detail: String
    /// The code for programs: a `CacheError.Code`, or a code of the server, such as `unauthorized`.
    public var code: String
    /// The status of the origin's response, if it caused the problem; otherwise nil.
    public var originStatus: Int?
    /// Whether the same request may succeed later, if the cache or an origin caused the problem; otherwise nil. The
    /// status then indicates that.
    public var retryable: Bool?
    /// The recorded ranges, if the requested window is outside them; otherwise nil.
    public var recordedRanges: [TimeSpan]?
    /// The methods that the path supports, if the request's isn't among them; otherwise nil.
    public var allowed: [String]?

    /// The media type of a problem details object.
    public static let contentType = "application/problem+json"

    /// The code of a server that runs no downloads or recordings.
    package static let downloadsDisabledCode = "downloadsDisabled"

    /// Creates a problem.
    public init(title: String, status: Int, detail: String, code: String) {
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
    }
}
