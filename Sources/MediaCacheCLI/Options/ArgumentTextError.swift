/// An invalid value on the command line or in the configuration.
struct ArgumentTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error and a correction, in one sentence.
    var description: String

    init(_ message: String) {
        description = message
    }
}
