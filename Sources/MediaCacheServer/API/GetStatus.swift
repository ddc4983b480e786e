/// How far a job of `/api/v1/gets` is.
public struct GetStatus: Codable, Sendable, Hashable {
    /// Where a job stands.
    public enum State: String, Codable, Sendable, Hashable {
        /// Bytes are being fetched.
        case running
        /// Every byte is here and committed.
        case done
        /// It ended early; ``GetStatus/error`` says why. What came is kept.
        case failed
    }

    /// Why a job failed.
    public struct Failure: Codable, Sendable, Hashable {
        /// The engine's code (`CacheError.Code`), as `unreachable` or `originStatus`.
        public var code: String
        /// One sentence for a person.
        public var message: String

        /// Creates a failure.
        public init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The job's name.
    public var id: String
    /// The URL that was asked for, without user information.
    public var url: String
    /// Where it stands.
    public var state: State
    /// What is kept of the resource, once its head is known.
    public var resource: ResourceRecord?
    /// Bytes that are here.
    public var bytes: Int64
    /// The complete length in bytes, once known.
    public var length: Int64?
    /// The origin's rate over the last seconds, in bytes per second.
    public var rate: Double
    /// Why it failed; null otherwise.
    public var error: Failure?

    /// Creates a status.
    public init(
        id: String,
        url: String,
        state: State,
        resource: ResourceRecord? = nil,
        bytes: Int64 = 0,
        length: Int64? = nil,
        rate: Double = 0,
        error: Failure? = nil
    ) {
        self.id = id
        self.url = url
        self.state = state
        self.resource = resource
        self.bytes = bytes
        self.length = length
        self.rate = rate
        self.error = error
    }
}
