import Synchronization

/// How much has been read, as it's shown.
final class WorkProgress: Sendable {
    private struct State {
        var read: Int64 = 0
        var expected: Int64?
    }

    private let state = Mutex(State())
    private let printer: ProgressPrinter

    /// Progress that `printer` shows.
    init(_ printer: ProgressPrinter) {
        self.printer = printer
    }

    /// So many bytes more have been read.
    func note(_ bytes: Int64) {
        let now = state.withLock { state in
            state.read += bytes
            return state
        }
        printer.show(bytes: now.read, of: now.expected.map { max($0, now.read) })
    }

    /// Of `all` parts, `done` are read: the others may be as long.
    func note(_ done: Int, of all: Int) {
        state.withLock { state in
            guard done > 0 else { return }
            let (product, isOver) = state.read.multipliedReportingOverflow(by: Int64(all))
            state.expected = isOver ? nil : product / Int64(done)
        }
    }

    /// So many bytes will be read in all.
    func expect(_ bytes: Int64) { state.withLock { $0.expected = bytes } }

    /// It's done, or given up.
    func finish() { printer.finish() }
}
