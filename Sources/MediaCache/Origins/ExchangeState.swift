/// The interface of a transport's exchange for the reader of its body.
package protocol ReadableExchange: AnyObject, Sendable {
    /// See ``OriginBody/executor``.
    var executor: (any TaskExecutor)? { get }
    /// Resumes the continuation with the next buffer, with nil at the end, or with the exchange's error.
    func read(_ continuation: CheckedContinuation<(any OriginBuffer)?, any Error>)
    /// See ``OriginBody/cancel()``. Can be called repeatedly.
    func cancel()
}

extension ReadableExchange {
    package var executor: (any TaskExecutor)? { nil }
}

/// The body of an exchange. Its deallocation closes the exchange.
package final class ExchangeBody: OriginBody {
    private let exchange: any ReadableExchange

    package var executor: (any TaskExecutor)? { exchange.executor }

    package init(_ exchange: any ReadableExchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }

    package func next() async throws -> (any OriginBuffer)? {
        try await withTaskCancellationHandler {
            if Task.isCancelled { cancel() }
            return try await withCheckedThrowingContinuation { exchange.read($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    package func cancel() { exchange.cancel() }
}

/// An instruction to a transport to pause or continue receiving.
@usableFromInline package enum ReceptionChange: Sendable {
    case paused
    case continued
}

/// The state of an exchange: its phase, the tasks that wait for the head and the body, and the buffered bytes.
///
/// The exchange protects it with a lock. Methods return the continuations to resume and the buffers to release after
/// the lock has been released.
// Inlinable, so that reception is specialized for the transport's buffers and clock.
@usableFromInline package struct ExchangeState<Buffer: OriginBuffer, Instant: Sendable>: Sendable {
    @usableFromInline package typealias HeadContinuation = CheckedContinuation<OriginResponse, any Error>
    @usableFromInline package typealias BodyContinuation = CheckedContinuation<(any OriginBuffer)?, any Error>

    @usableFromInline enum Phase: Sendable {
        case waitingForHead
        case body
        case ended((any Error)?)
    }

    /// The result of storing received bytes.
    @usableFromInline package enum Storing: Sendable {
        case stored
        /// The reader is behind. Reception is paused.
        case full
        case ended
    }

    /// The reader to resume, and the change of reception.
    @usableFromInline package struct Delivery: Sendable {
        /// The change of reception to carry out; nil for none.
        @usableFromInline package var reception: ReceptionChange?
        @usableFromInline var reader: BodyContinuation?
        @usableFromInline var result: Result<(any OriginBuffer)?, any Error>

        @inlinable
        init(to reader: BodyContinuation? = nil, _ result: Result<(any OriginBuffer)?, any Error> = .success(nil)) {
            self.reader = reader
            self.result = result
        }

        /// Resumes the reader if the delivery has one.
        @inlinable package func resume() { reader?.resume(with: result) }
    }

    /// The tasks to resume at the end of an exchange, and the dropped buffers.
    @usableFromInline package struct Ending: Sendable {
        @usableFromInline var error: (any Error)?
        @usableFromInline var head: HeadContinuation?
        @usableFromInline var reader: BodyContinuation?
        /// Buffers whose release may acquire a lock or unmap memory.
        @usableFromInline var dropped: [Buffer] = []

        @inlinable init(error: (any Error)?, head: HeadContinuation?, reader: BodyContinuation?) {
            self.error = error
            self.head = head
            self.reader = reader
        }

        /// Resumes the waiting tasks.
        @inlinable package func resume() {
            if let error {
                head?.resume(throwing: error)
                reader?.resume(throwing: error)
            } else {
                head?.resume(throwing: CacheError(.badResponse, "the response ended without a head"))
                reader?.resume(returning: nil)
            }
        }
    }

    /// The number of buffered bytes at which reception is paused. It continues below half of that.
    @usableFromInline package var pauseSize: Int
    @usableFromInline var phase = Phase.waitingForHead
    @usableFromInline var head: HeadContinuation?
    /// The waiting reader, and the time at which it began to wait.
    @usableFromInline var reader: (continuation: BodyContinuation, since: Instant)?
    @usableFromInline var buffers: [Buffer] = []
    @usableFromInline var bufferedBytes = 0
    @usableFromInline var isPaused = false

    /// Creates the state of an exchange that hasn't started.
    @inlinable package init(pauseSize: Int) { self.pauseSize = pauseSize }

    /// Whether the response head is missing and may still be received.
    @inlinable package var isWaitingForHead: Bool {
        if case .waitingForHead = phase { true } else { false }
    }

    /// Whether the exchange has ended. Buffers may still wait for the reader.
    @inlinable package var isOver: Bool {
        if case .ended = phase { true } else { false }
    }

    /// The time at which the reader began to wait for bytes; nil if it isn't waiting.
    @inlinable package var waitBegan: Instant? { reader?.since }

    // MARK: - Transitions

    /// Stores the continuation of the task that waits for the head. Returns false if the exchange has already ended.
    @inlinable package mutating func waitForHead(_ continuation: HeadContinuation) -> Bool {
        guard !isOver else { return false }
        head = continuation
        return true
    }

    /// Begins the body after the head has been received. Returns the continuation to resume with the head; nil if no
    /// task waits for the head, the body has already begun, or the exchange has ended.
    @inlinable package mutating func beginBody() -> HeadContinuation? {
        guard isWaitingForHead else { return nil }
        phase = .body
        return exchange(&head, with: nil)
    }

    /// Stores received bytes, which ``deliver()`` then passes to a waiting reader.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - limit: The number of buffered bytes at or above which nothing is stored.
    ///   - append: Adds the bytes to the last buffer or to new ones.
    @inlinable package mutating func store(
        _ count: Int, below limit: Int = .max, _ append: (inout [Buffer]) -> Void
    ) -> Storing {
        guard !isOver else { return .ended }
        guard bufferedBytes < limit else {
            isPaused = true
            return .full
        }
        append(&buffers)
        bufferedBytes += count
        return .stored
    }

    /// Takes the first buffer for a waiting reader, and pauses reception if too many bytes are left.
    @inlinable package mutating func deliver() -> Delivery {
        guard !isOver else { return Delivery() }
        var delivery = Delivery()
        if let reader, let next = takeBuffer(for: reader.continuation) {
            self.reader = nil
            delivery = next
        }
        if !isPaused, bufferedBytes >= pauseSize {
            isPaused = true
            delivery.reception = .paused
        }
        return delivery
    }

    /// Takes the first buffer, or the end of the response, for a reader. Otherwise, the reader waits.
    @inlinable
    package mutating func read(_ continuation: BodyContinuation, at now: @autoclosure () -> Instant) -> Delivery {
        if let delivery = takeBuffer(for: continuation) { return delivery }
        if case .ended(let error) = phase {
            return Delivery(to: continuation, error.map { .failure($0) } ?? .success(nil))
        }
        reader = (continuation, now())
        return Delivery()
    }

    @inlinable mutating func takeBuffer(for reader: BodyContinuation) -> Delivery? {
        guard !buffers.isEmpty else { return nil }
        let buffer = buffers.removeFirst()
        bufferedBytes -= buffer.count
        var delivery = Delivery(to: reader, .success(buffer))
        if isPaused, bufferedBytes < pauseSize / 2 {
            isPaused = false
            delivery.reception = .continued
        }
        return delivery
    }

    /// Ends the exchange, and reception. The reader receives the buffered bytes before the end, unless they are
    /// dropped. An exchange that has already ended can only drop them.
    ///
    /// - Parameters:
    ///   - error: The error for the waiting tasks; nil at the end of a complete body.
    ///   - droppingBuffers: Whether the buffered bytes are dropped. The reader then receives the error instead.
    @inlinable package mutating func end(_ error: (any Error)?, droppingBuffers: Bool = false) -> Ending {
        var ending = Ending(error: error, head: head, reader: reader?.continuation)
        // If bytes are dropped, the reader must receive the error instead of the end of a complete body.
        if !isOver || droppingBuffers && !buffers.isEmpty { phase = .ended(error) }
        if droppingBuffers {
            swap(&ending.dropped, &buffers)
            bufferedBytes = 0
        }
        (head, reader, isPaused) = (nil, nil, false)
        return ending
    }
}
