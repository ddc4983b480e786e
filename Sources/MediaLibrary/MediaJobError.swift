package import MediaContainers

/// An error of a job on media: inspection, remuxing, export.
public struct MediaJobError: Error, Sendable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The caller cancelled the job.
        case cancelled
        /// The arguments can't be used together, or the name of an output is unsuitable.
        case invalidArgument
        /// Media was found instead of a playlist.
        case mediaInsteadOfPlaylist
        /// The output exists and may not be replaced.
        case outputExists
        /// Any other failure.
        case failed
    }

    /// The kind of error.
    public var code: Code
    /// A sentence that names the input or output and the reason.
    public var message: String
    /// The error of a reader or of the system that led to this one.
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

extension MediaJobError {
    /// Creates the error of an input or output that can't be read or written.
    package init(_ error: ContainerError, of name: String) {
        if error.cause is CancellationError {
            self.init(.cancelled, "interrupted", cause: error.cause)
        } else {
            // The message of a file that can't be opened contains its name.
            self.init(.failed, error.what.hasPrefix(name) ? "\(error)" : "\(name): \(error)", cause: error.cause)
        }
    }
}

/// Jobs that block a thread while they read and write.
package enum MediaJob {
    /// Runs `body` on its own thread. Cancelling the task stops the reads of `body`.
    ///
    /// - Parameter name: The input that errors of containers are attributed to.
    /// - Throws: Errors of `body`; ``MediaJobError`` for its `ContainerError`s.
    package static func run<Result: Sendable>(
        on name: String, _ body: @escaping @Sendable (WorkControl) throws -> Result
    ) async throws -> Result {
        try await BlockingWork.run { control in
            do {
                return try body(control)
            } catch let error as ContainerError {
                throw MediaJobError(error, of: name)
            }
        }
    }
}
