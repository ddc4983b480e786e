import Synchronization

/// The writing end of a pipe that tells a blocked thread of an open gate. It closes once, whoever comes first.
final class GateSignal: Sendable {
    private let end: Mutex<StreamSocket?>

    init(_ end: StreamSocket) {
        self.end = Mutex(end)
    }

    /// Wakes the reader: the end of a pipe is readable.
    func fire() { retire() }

    /// Closes the pipe's end, if that hasn't happened yet.
    func retire() {
        let last = end.withLock { end in
            defer { end = nil }
            return end
        }
        last?.close()
    }
}
