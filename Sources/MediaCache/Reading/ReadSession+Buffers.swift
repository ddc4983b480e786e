import Synchronization

extension ReadSession {
    /// The session's bytes as an asynchronous sequence of buffers. Waiting doesn't block a thread. Cancelling the task
    /// ends the session.
    public var buffers: Buffers { Buffers(session: self) }

    /// A session's bytes as an asynchronous sequence.
    public struct Buffers: AsyncSequence, Sendable {
        let session: ReadSession

        /// Returns an iterator that starts at the session's position.
        public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

        /// The iterator of a session's bytes.
        public struct Iterator: AsyncIteratorProtocol {
            private static let maximum = 256 << 10
            let session: ReadSession

            /// Returns the next bytes, never empty; nil at the end of the session's range.
            ///
            /// - Throws: ``CacheError``.
            public mutating func next() async throws -> [UInt8]? {
                while true {
                    let step = try await session.nextStep(maximum: Self.maximum)
                    switch step {
                    case .bytes(let source, let offset, let count):
                        guard let bytes = await session.read(source, offset: offset, count: count) else { continue }
                        session.consume(count)
                        return bytes
                    case .end: return nil
                    case .failed(let error): throw error
                    case .wait: continue
                    }
                }
            }
        }
    }

    /// Waits until the step isn't ``ReadStep/wait``, and returns it.
    fileprivate func nextStep(maximum: Int) async throws -> ReadStep {
        let waiter = Waiter()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.poll(self, maximum: maximum, continuation)
            }
        } onCancel: {
            cancel()
            waiter.wake()
        }
    }

    /// Reads bytes, on the pool unless they are in memory. Returns nil after a read error, which the session records.
    fileprivate func read(_ source: any BlobReader, offset: Int64, count: Int) async -> [UInt8]? {
        do {
            var isRead = false
            let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                isRead = try source.readWithoutBlocking(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                initialized = count
            }
            if isRead { return bytes }
            return try await blockingPool.run {
                try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                    try source.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
                    initialized = count
                }
            }
        } catch {
            readFailed(count: count, error: error)
            return nil
        }
    }
}

/// An asynchronous poll. It resumes its continuation once, when a step is available or the task is cancelled.
private final class Waiter: Sendable {
    private struct State {
        var continuation: CheckedContinuation<ReadStep, Never>?
        var session: ReadSession?
        var maximum = 0
    }

    private let state = Mutex(State())

    func poll(_ session: ReadSession, maximum: Int, _ continuation: CheckedContinuation<ReadStep, Never>) {
        state.withLock { $0 = State(continuation: continuation, session: session, maximum: maximum) }
        wake()
    }

    func wake() {
        guard let (session, maximum) = state.withLock({ state in state.session.map { ($0, state.maximum) } }) else {
            return
        }
        let step = session.poll(maximum: maximum) { self.wake() }
        if case .wait = step { return }
        let continuation = state.withLock { state in
            defer { state = State() }
            return state.continuation
        }
        continuation?.resume(returning: step)
    }
}
