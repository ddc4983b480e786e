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
            /// An element is added when the session may have another step.
            private var signals: AsyncStream<Void>.Iterator
            private let signal: AsyncStream<Void>.Continuation

            fileprivate init(session: ReadSession) {
                self.session = session
                let (stream, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
                (signals, self.signal) = (stream.makeAsyncIterator(), signal)
            }

            /// Returns the next bytes, never empty; nil at the end of the session's range.
            ///
            /// - Throws: ``CacheError``.
            public mutating func next() async throws -> [UInt8]? {
                while true {
                    if Task.isCancelled { session.cancel() }
                    switch session.poll(maximum: Self.maximum, onReady: { [signal] in signal.yield() }) {
                    case .bytes(let source, let offset, let count):
                        guard let bytes = await session.read(source, offset: offset, count: count) else { continue }
                        session.consume(count)
                        return bytes
                    case .end: return nil
                    case .failed(let error): throw error
                    // Also returns when the task is cancelled.
                    case .wait: _ = await signals.next(isolation: #isolation)
                    }
                }
            }
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
            return try await engine.pool.run {
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
