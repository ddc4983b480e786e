/// Text on the command line that doesn't say what it should: one sentence that says what is wrong and what is right.
struct ArgumentTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    var description: String

    /// An error that says `message`.
    init(_ message: String) {
        description = message
    }
}
