import Foundation

/// Standard output and standard error, without buffering.
enum StandardStreams {
    /// Writes a line to standard output. A closed pipe (`mediacache list | head`) isn't an error.
    static func print(_ line: String) throws { try write(line + "\n") }

    static func write(_ text: String) throws {
        let number = write(text, to: STDOUT_FILENO)
        if number != EPIPE { try check(number) }
    }

    /// Writes a line of an endless output to standard output. A closed pipe ends the command without a message and with
    /// exit code 0 (`mediacache downloads watch --json | head -1`).
    static func printEvent(_ line: String) throws {
        let number = write(line + "\n", to: STDOUT_FILENO)
        if number == EPIPE { throw CommandFailure(exitCode: 0) }
        try check(number)
    }

    private static func check(_ number: Int32) throws {
        guard number != 0 else { return }
        throw CommandFailure(.failed, "standard output can't be written: \(String(cString: strerror(number)))")
    }

    /// Writes a line to standard error. Errors are ignored.
    static func printError(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    @Sendable static func printNote(_ text: String) {
        printError("mediacache: note: \(Table.printable(text))")
    }

    static func writeError(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    /// Ignores SIGPIPE, so that writing to a closed pipe returns an error instead of ending the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal that can redraw lines.
    static var errorIsTerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The number of columns of standard error's terminal; 80 if it's unknown.
    static var errorWidth: Int { errorSize.flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil } ?? 80 }

    /// The number of lines of standard error's terminal; 24 if it's unknown.
    static var errorHeight: Int { errorSize.flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } ?? 24 }

    private static var errorSize: winsize? {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }

    /// Writes a text completely. Returns 0, or the error number.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { systemWrite(descriptor, $0, buffer.count) } ?? 0
            }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EAGAIN {
                // Another process has made the descriptor non-blocking.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

// Outside the type, whose methods hide the system's `write`.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
