/// An error of a server's startup or state.
public struct ServerError: Error, Sendable, CustomStringConvertible {
    /// The code of an error. Compare codes; messages may change.
    public enum Code: String, Sendable, Hashable {
        /// Another process is using the port.
        case portTaken
        /// The server can't listen on the address: for example, the machine doesn't have it, or the process isn't
        /// permitted to use the port.
        case addressUnavailable
        /// The state of the server doesn't permit the call. For example, it is already running.
        case wrongState
    }

    /// The code.
    public var code: Code
    /// A message for users.
    public var message: String
    /// The underlying error; nil if there is none.
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
