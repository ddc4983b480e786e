import MediaCache

/// The reader's end of an exchange. Letting go of it closes the exchange.
final class HTTPExchangeBody: OriginBody {
    private let exchange: HTTPExchange

    init(_ exchange: HTTPExchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }

    func next() async throws -> (any OriginBuffer)? {
        try await withTaskCancellationHandler {
            if Task.isCancelled { cancel() }
            return try await withCheckedThrowingContinuation { exchange.read($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    func cancel() {
        exchange.cancel()
    }
}
