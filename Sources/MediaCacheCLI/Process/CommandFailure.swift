/// The failure of a command: an exit code and a message.
struct CommandFailure: Error, Sendable, Hashable {
    enum Code: Int32, Sendable, Hashable {
        case failed = 1
        case partial = 2
        /// An invalid command line or configuration (EX_USAGE of sysexits).
        case usage = 64
        /// Interrupted by Ctrl-C (128 + SIGINT, as in shells) or another signal.
        case interrupted = 130
    }

    var exitCode: Int32
    /// The message; empty for none.
    var message: String

    init(_ code: Code, _ message: String) {
        exitCode = code.rawValue
        self.message = message
    }

    /// The message as one line for standard error; nil without a message.
    var line: String? {
        guard !message.isEmpty else { return nil }
        let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "mediacache: \(Table.printable(words))"
    }

    /// Combines both failures. The result is partial only if both are.
    func adding(_ other: CommandFailure) -> CommandFailure {
        let isPartial = [self, other].allSatisfy { $0.exitCode == Code.partial.rawValue }
        let messages = [message, other.message].filter { !$0.isEmpty }
        return CommandFailure(isPartial ? .partial : .failed, messages.joined(separator: "; "))
    }

    /// Creates a failure without a message.
    init(exitCode: Int32) {
        self.exitCode = exitCode
        message = ""
    }
}
