/// A transport's exchange, as its reader sees it.
package protocol ReadableExchange: AnyObject, Sendable {
    /// Resumes with the next buffer, with nil at the end, or with the error that the exchange ended by.
    func read(_ continuation: CheckedContinuation<(any OriginBuffer)?, any Error>)
    /// Closes the exchange. It may be called at any time, and more than once.
    func cancel()
}

/// The reader's end of an exchange. Letting go of it closes the exchange.
package final class ExchangeBody: OriginBody {
    private let exchange: any ReadableExchange

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
