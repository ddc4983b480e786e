internal import Synchronization

/// The progress of a job, in bytes read.
public final class ReadProgress: Sendable {
    private struct State {
        var read: Int64 = 0
        var expected: Int64?
    }

    private let state = Mutex(State())
    private let onChange: @Sendable (_ read: Int64, _ expected: Int64?) -> Void

    /// Creates the progress of a job that hasn't read any bytes.
    ///
    /// - Parameter onChange: A function that receives the number of bytes read, and the expected total; nil if the
    ///   total is unknown and can't be estimated. It's called on the job's thread.
    public init(onChange: @escaping @Sendable (_ read: Int64, _ expected: Int64?) -> Void) { self.onChange = onChange }

    /// Adds to the number of bytes read, and reports the change.
    package func add(_ bytes: Int64) {
        let now = state.withLock { state in
            state.read += bytes
            return state
        }
        onChange(now.read, now.expected.map { max($0, now.read) })
    }

    /// Estimates the expected total from the number of parts that were read.
    package func update(parts: Int, of total: Int) {
        state.withLock { state in
            guard parts > 0 else { return }
            let (product, overflow) = state.read.multipliedReportingOverflow(by: Int64(total))
            state.expected = overflow ? nil : product / Int64(parts)
        }
    }

    package func expect(_ bytes: Int64) { state.withLock { $0.expected = bytes } }
}
