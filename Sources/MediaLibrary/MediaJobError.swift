package import MediaContainers

/// An error of a media job, such as inspection, remuxing or export.
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
        /// Parts of an asset or a window are missing, and may not be omitted.
        case missingParts
        /// Any other failure.
        case failed
    }

    /// The kind of error.
    public var code: Code
    /// The input or output that failed and the reason, in one sentence.
    public var message: String
    /// The underlying error of a reader or of the system.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }

    /// Creates an error for an input or output that can't be read or written.
    package init(_ error: ContainerError, of name: String) {
        if error.cause is CancellationError {
            self.init(.cancelled, "interrupted", cause: error.cause)
        } else {
            // If a file can't be opened, the message already begins with its name.
            self.init(.failed, error.summary.hasPrefix(name) ? "\(error)" : "\(name): \(error)", cause: error.cause)
        }
    }
}

/// A runner of jobs that block a thread while they read and write.
package enum MediaJob {
    /// Runs `body` on a separate thread, and converts a `ContainerError` to a ``MediaJobError`` about `name`. If the
    /// task is cancelled, the next read in `body` fails.
    package static func run<Result: Sendable>(
        on name: String, _ body: @escaping @Sendable (OperationControl) throws -> Result
    ) async throws -> Result {
        try await BlockingOperation.run { control in
            do {
                return try body(control)
            } catch let error as ContainerError {
                throw MediaJobError(error, of: name)
            }
        }
    }
}
