/// Why a command ends with another code than 0: the code, and one line that says what and why.
struct CommandFailure: Error, Sendable, Hashable {
    /// The exit codes of `mediacache`, the same for every subcommand.
    enum Code: Int32, Sendable, Hashable {
        /// Nothing, or not the whole, was done.
        case failed = 1
        /// Done in part.
        case partial = 2
        /// The command line isn't right (EX_USAGE of sysexits).
        case usage = 64
        /// Ended by Ctrl-C: 128 + SIGINT, as shells have it.
        case interrupted = 130
    }

    /// The process's exit code.
    var exitCode: Int32
    /// What stands on standard error; nothing if empty.
    var message: String
    /// Whether media came where a playlist was expected.
    var foundMedia = false

    /// A failure with one of the codes that all subcommands share.
    init(_ code: Code, _ message: String) {
        exitCode = code.rawValue
        self.message = message
    }

    /// What stands on standard error: one line, whatever the causes beneath said; nil if there is nothing to say.
    var line: String? {
        guard !message.isEmpty else { return nil }
        let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "mediacache: \(Table.printable(words))"
    }

    /// Another program's exit code, passed on without a word.
    init(passingOn exitCode: Int32) {
        self.exitCode = exitCode
        message = ""
    }
}
