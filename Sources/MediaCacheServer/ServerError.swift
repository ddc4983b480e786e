/// Why a server doesn't run.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure. Compare codes; messages may change.
    public enum Code: String, Sendable, Hashable {
        /// Another process listens at the port.
        case portTaken
        /// The address isn't this machine's, or may not be used.
        case addressUnavailable
        /// The server runs already, or has been stopped.
        case wrongState
    }

    /// What kind of failure this is.
    public var code: Code
    /// One sentence that says what happened, where, and what can be done.
    public var message: String
    /// The error that led to this one, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
