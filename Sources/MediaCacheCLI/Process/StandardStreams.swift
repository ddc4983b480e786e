import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard output and standard error, written at once: who reads a pipe sees each line when it's printed.
enum StandardStreams {
    /// Writes `line` and a line break to standard output. A reader that went away (`mediacache list | head`) is no
    /// failure of ours.
    ///
    /// - Throws: ``CommandFailure`` if it can't be written for another reason.
    static func print(_ line: String) throws { try write(line + "\n") }

    /// Writes `text` as it is to standard output; see ``print(_:)``.
    ///
    /// - Throws: ``CommandFailure`` if it can't be written.
    static func write(_ text: String) throws {
        let number = write(text, to: STDOUT_FILENO)
        guard number != 0, number != EPIPE else { return }
        throw CommandFailure(.failed, "standard output can't be written: \(String(cString: strerror(number)))")
    }

    /// Writes `line` and a line break to standard error. Where that can't be written, there is nobody to tell.
    static func printError(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes `text` as it is to standard error.
    static func writeError(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    /// From now on a pipe whose reader went away is an error of `write`, not the process's end: a server outlives
    /// who read its first line.
    static func surviveBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether standard output is a terminal.
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal that can draw a line over itself.
    static var errorIsTerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The columns of the terminal at standard error; 80 if it doesn't say.
    static var errorWidth: Int { errorSize.flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil } ?? 80 }

    /// The lines of the terminal at standard error; 24 if it doesn't say.
    static var errorHeight: Int { errorSize.flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil } ?? 24 }

    private static var errorSize: winsize? {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
    }

    /// Writes all of `text`.
    ///
    /// - Returns: 0, or the system's number of what went wrong.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { systemWrite(descriptor, $0, buffer.count) } ?? 0
            }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EAGAIN {
                // Whoever shares it has made it so that it doesn't wait.
                var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&room, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes, count)
        #else
            Darwin.write(descriptor, bytes, count)
        #endif
    }
}
